"""gpt-oss (Harmony): every part is a message with a header that says its channel and its recipient.

``analysis`` is reasoning, ``final`` and ``commentary`` are for the user, and what has a function for its recipient is a
call, whatever its channel. The recipient stands before the channel or after it, and models write the header in many
ways: with and without a type, with it as a token or as a word. Messages to the built-in tools are for nobody here.
"""

from ..format import Answer, Aside, Call, Format, Json, Reasoning, Tools, Turns

FORMAT = Format(
    name="gpt_oss",
    turns=Turns(
        "<|start|>assistant",
        others=("<|start|>system", "<|start|>developer", "<|start|>user", "<|start|>functions", "<|start|>tool"),
        ends=("<|return|>", "<|end|>", "<|endoftext|>"),
        headed=True,
    ),
    reasoning=Reasoning(
        "{?<|start|>assistant}<|channel|>analysis{? <|constrain|>{type}}<|message|>",
        "<|end|>",
        reopens=True,
    ),
    answer=Answer(
        (
            "{?<|start|>assistant}<|channel|>final{? <|constrain|>{type}}<|message|>",
            "{?<|start|>assistant}<|channel|>{channel}{? <|constrain|>{type}}<|message|>",
            "<|start|>assistant<|message|>",
        ),
        ("<|return|>", "<|end|>"),
        anywhere=True,
    ),
    tools=Tools(
        Call(
            (
                "<|start|>assistant to=functions.{name}<|channel|>{channel}{? <|constrain|>{type}}<|message|>",
                "<|start|>assistant to=functions.{name}<|channel|>{channel} {type}<|message|>",
                "{?<|start|>assistant}<|channel|>{channel} to=functions.{name}{? <|constrain|>{type}}<|message|>",
                "{?<|start|>assistant}<|channel|>{channel} to=functions.{name} {type}<|message|>",
            ),
            ("<|call|>", "<|end|>"),
            Json(),
        )
    ),
    asides=(
        Aside(
            (
                "<|start|>assistant to={recipient}<|channel|>{channel}{? <|constrain|>{type}}<|message|>",
                "{?<|start|>assistant}<|channel|>{channel} to={recipient}{? <|constrain|>{type}}<|message|>",
            ),
            ("<|call|>", "<|end|>"),
        ),
    ),
    special=("<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|call|>", "<|return|>"),
    aliases=("harmony", "openai", "gptoss"),
    source="Chat template of openai/gpt-oss-20b; parsers of vLLM 0.32 (openai), SGLang 0.5.22 (gpt-oss) and Ollama "
    "(harmony) for the headers that models write.",
    example="<|channel|>analysis<|message|>A train to Graz for two.<|end|>"
    "<|start|>assistant<|channel|>commentary to=functions.find_trains <|constrain|>json<|message|>"
    '{"to": "Graz", "seats": 2}<|call|>',
)
