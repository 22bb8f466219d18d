class PythonDecoder:
    def __init__(self, *a):
        raise NotImplementedError
