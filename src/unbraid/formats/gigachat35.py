"""GigaChat 3.5: elements with attributes behind a token of their own; ``string`` says what a value is.

The prompt opens thinking. Line ends before the calls and around the closer of thinking are layout.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="gigachat35",
    turns=Turns(
        "assistant<|role_sep|>\n",
        others=("user<|role_sep|>\n", "system<|role_sep|>\n", "function result<|role_sep|>\n"),
        ends=("<|message_sep|>\n\n", "</s>"),
    ),
    reasoning=Reasoning(
        ("<think>", "<think>\n"), ("</think>", "\n</think>\n\n"), opened_by="prompt", toggle=("enable_thinking",)
    ),
    tools=Tools(
        Call(
            '<｜GCML｜invoke name="{name}">\n',
            "</｜GCML｜invoke>\n",
            Params(
                ('\n<｜GCML｜parameter name="{key}" string="{type}">', '\n<｜GCML｜parameter name="{key}">'),
                "</｜GCML｜parameter>\n",
                untyped="json",
                types=(("true", "string"), ("false", "json")),
            ),
        ),
        open=("<｜GCML｜tool_calls>\n", "\n\n<｜GCML｜tool_calls>\n"),
        close="</｜GCML｜tool_calls>",
        optional=True,
    ),
    special=("<|role_sep|>", "<|message_sep|>", "</s>", "｜GCML｜"),
    signs=(
        Signs(template=("｜GCML｜",)),
        Signs(models=("*gigachat3.5*", "*gigachat-3.5*")),
    ),
    source="Parser of SGLang 0.5.22 (gigachat35) and the rule for its reasoning; turn markers as in the chat templates "
    "of GigaChat 3.",
    example="A train to Graz for two.</think>"
    '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="find_trains">\n'
    '<｜GCML｜parameter name="to" string="true">Graz</｜GCML｜parameter>\n'
    '<｜GCML｜parameter name="seats" string="false">2</｜GCML｜parameter>\n'
    "</｜GCML｜invoke>\n</｜GCML｜tool_calls>",
)
