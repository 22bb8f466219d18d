class NestedDecoder:
    def __init__(self, *a):
        raise NotImplementedError
