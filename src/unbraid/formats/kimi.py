"""Kimi's first thinking models, Kimi-VL among them: thinking between two words of ordinary tokens, and no calls."""

from ..format import Format, Reasoning, Signs, Turns

FORMAT = Format(
    name="kimi",
    turns=Turns(
        "<|im_assistant|>assistant<|im_middle|>",
        others=("<|im_user|>", "<|im_system|>", "<|im_assistant|>"),
        ends=("<|im_end|>", "[EOS]"),
    ),
    reasoning=Reasoning("◁think▷", "◁/think▷"),
    special=("<|im_user|>", "<|im_system|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>", "[EOS]"),
    aliases=("kimi_vl", "kimi_thinking"),
    signs=(
        Signs(template=("◁think▷",)),
        Signs(models=("*kimi-vl*thinking*",)),
    ),
    source="Parser of SGLang 0.5.22 (kimi) for moonshotai/Kimi-VL-A3B-Thinking.",
    example="◁think▷A train to Graz for two.◁/think▷Two seats, then.",
)
