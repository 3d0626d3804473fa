"""The neural network of the ear on ONNX Runtime."""
