"""GLM-4.5 to GLM-5.3: key/value pairs, values raw. Both layouts (compact, and one pair a line) are read."""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="glm47",
    turns=Turns(
        ("<|assistant|>", "<|assistant|>\n"),
        others=("<|user|>", "<|system|>", "<|observation|>", "[gMASK]"),
        ends=("<|user|>", "<|observation|>", "<|endoftext|>"),
    ),
    reasoning=Reasoning(
        ("<think>", "\n<think>"),
        ("</think>", "</think>\n"),
        opened_by="prompt",
        toggle=("enable_thinking", "thinking"),
    ),
    tools=Tools(
        Call(
            ("<tool_call>{name}", "\n<tool_call>{name}\n", " <tool_call>{name}"),
            ("</tool_call>", "\n</tool_call>"),
            Params(
                ("<arg_key>{key}</arg_key><arg_value>", "\n<arg_key>{key}</arg_key>\n<arg_value>"),
                "</arg_value>",
            ),
        )
    ),
    special=(
        "<|user|>",
        "<|assistant|>",
        "<|system|>",
        "<|observation|>",
        "<|endoftext|>",
        "[gMASK]",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<arg_key>",
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
    ),
    aliases=("glm45", "glm", "glm_4.5", "glm_4.7", "glm_5", "glm_5.1", "glm_5.3", "glm_ocr"),
    signs=(
        Signs(template=("[gMASK]<sop>", "<tool_call>", "<arg_key>", "<arg_value>")),
        Signs(
            models=(
                "*glm-4.5*",
                "*glm-4.6*",
                "*glm-4.7*",
                "*glm-5*",
                "*glm-ocr*",
                "glm4_moe",
                "glm4_moe_lite",
                "glm_moe_dsa",
                "Glm4MoeForCausalLM",
                "Glm4MoeLiteForCausalLM",
                "GlmMoeDsaForCausalLM",
                "glm4moe",
            )
        ),
    ),
    source="Chat templates of zai-org/GLM-4.5, GLM-4.7 and GLM-5.3; parsers of vLLM 0.32 (glm45, glm47) and "
    "SGLang 0.5.22 for the variants that models write.",
    example="A train to Graz for two.</think>"
    "<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
    "<arg_key>seats</arg_key><arg_value>2</arg_value></tool_call>",
)
