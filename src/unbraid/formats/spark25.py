"""Spark 2.5: key/value pairs, one a line, values raw and as they are; thinking between the usual tags."""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="spark25",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n"),
    tools=Tools(
        Call(
            "\n<tool_call>{name}\n",
            "</tool_call>",
            Params("\n<arg_key>{key}</arg_key><arg_value>", "</arg_value>\n"),
        )
    ),
    aliases=("spark", "spark_2.5"),
    signs=(
        Signs(template=("<tool_call>", "<arg_key>", "<arg_value>"), models=("*spark2.5*", "*spark-2.5*")),
        Signs(models=("*spark2.5*", "*spark-2.5*")),
    ),
    source="Parser of SGLang 0.5.22 (spark25). Its turns are assumed to be ChatML's: no chat template was at hand.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    "<tool_call>find_trains\n<arg_key>to</arg_key><arg_value>Graz</arg_value>\n"
    "<arg_key>seats</arg_key><arg_value>2</arg_value>\n</tool_call>",
)
