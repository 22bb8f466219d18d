"""The id side: which marker is real, and which token belongs to which part.

``marked``       a format whose special tokens can't be spelled
``vocabulary``   what a tokenizer is asked, whatever its kind
``detokenizer``  ids in, text out, one step at a time
``strand``       one strand of an engine's text and ids, which needn't arrive together
``account``      the tokens of an output: where each ends, its log-probability, and the part that it belongs to
``aligned``      the tokens of each event, with their log-probabilities, while the events come
``reasoning``    the questions: is reasoning over, and at which token?

What lives here knows ids; it makes no events and knows no states. ``Parser`` puts the two together.
"""
