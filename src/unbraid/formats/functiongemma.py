"""FunctionGemma: Gemma's notation with one tag on both sides of a string; no reasoning."""

from ..format import Call, Format, Gemma, Signs, Tools, Turns

FORMAT = Format(
    name="functiongemma",
    turns=Turns(
        # After a tool's result the model goes on in its turn.
        ("<start_of_turn>model\n", "<end_function_response>"),
        others=("<start_of_turn>", "<start_function_response>"),
        ends=("<end_of_turn>", "<start_function_response>"),
    ),
    tools=Tools(Call("<start_function_call>call:{name}", "<end_function_call>", Gemma("<escape>"))),
    special=(
        "<start_of_turn>",
        "<end_of_turn>",
        "<start_function_call>",
        "<end_function_call>",
        "<start_function_response>",
        "<end_function_response>",
        "<escape>",
    ),
    signs=(
        Signs(template=("<start_of_turn>", "<start_function_call>", "<escape>")),
        Signs(vocabulary=("<start_function_call>", "<escape>")),
        Signs(models=("*functiongemma*",)),
    ),
    source="Chat template for google/functiongemma-270m-it; parsers of vLLM 0.32 (functiongemma) and Ollama "
    "(functiongemma).",
    example="<start_function_call>call:find_trains{to:<escape>Graz<escape>,seats:2}<end_function_call>",
)
