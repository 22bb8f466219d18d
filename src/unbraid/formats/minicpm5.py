"""MiniCPM5: attribute XML without a wrapper; a value with line ends or markup in it stands in a CDATA section.

Models also write names in single quotes, leave out the space before ``name``, or put all parameters into an
``arguments`` element.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="minicpm5",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call(
            (
                '\n<function name="{name}">',
                "\n<function name='{name}'>",
                '\n<functionname="{name}">',
                '\n<function name="{name}"> <arguments>',
            ),
            ("</function>", "</arguments> </function>"),
            Params(
                (
                    '<param name="{key}">',
                    '\n<param name="{key}">',
                    "\n<param name='{key}'>",
                    '\n<paramname="{key}">',
                    '\n<param name="{key}"> <![CDATA[',
                    "\n<param name='{key}'> <![CDATA[",
                ),
                ("</param>", "</param>\n", "]]> </param>\n"),
                scalars="python",
            ),
        )
    ),
    special=("<|im_start|>", "<|im_end|>", "<function", "</function>", "<param", "</param>"),
    signs=(
        Signs(template=("<|im_start|>", '<function name="', '<param name="')),
        Signs(vocabulary=("<function", "<param")),
        Signs(models=("*minicpm5*", "*minicpm-5*")),
    ),
    source="Chat template of openbmb/MiniCPM5-1B; parsers of vLLM 0.32 and SGLang 0.5.22 (minicpm5) for the variants "
    "that models write.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    '<function name="find_trains"><param name="to">Graz</param><param name="seats">2</param></function>',
)
