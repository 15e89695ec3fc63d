"""The models in Keras, and their weights by name for the others. Runs in the environment of Keras.

usage: models.py make MODEL FILE.keras          seeded weights
       models.py weights FILE.keras OUT.npz     "layer/variable" → array
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

PARAMETERS = {"mlp": 101770, "lenet5": 61706, "cnn": 34826, "resnet20": 272474, "mobilenet": 543050}
MOBILENET = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
SEED = 20261201


def build(name):
    import keras
    from keras import layers as L

    if name == "mlp":
        return keras.Sequential([keras.Input((784,), name="image"), L.Dense(128, activation="relu", name="hidden"), L.Dense(10, name="logits")])
    if name == "cnn":
        return keras.Sequential([
            keras.Input((28, 28, 1), name="image"), L.Conv2D(32, 3, activation="relu", name="conv1"), L.MaxPooling2D(2, name="pool1"),
            L.Conv2D(64, 3, activation="relu", name="conv2"), L.MaxPooling2D(2, name="pool2"), L.Flatten(name="flatten"),
            L.Dense(10, name="logits")])
    if name == "lenet5":
        return keras.Sequential([
            keras.Input((28, 28, 1), name="image"), L.Conv2D(6, 5, padding="same", activation="relu", name="conv1"),
            L.MaxPooling2D(2, name="pool1"), L.Conv2D(16, 5, activation="relu", name="conv2"), L.MaxPooling2D(2, name="pool2"),
            L.Flatten(name="flatten"), L.Dense(120, activation="relu", name="fc1"), L.Dense(84, activation="relu", name="fc2"),
            L.Dense(10, name="logits")])

    def block(x, layer, name, relu=True):
        x = L.BatchNormalization(name=name + "_bn")(layer(x))
        return L.ReLU(name=name + "_relu")(x) if relu else x

    def conv(filters, size, stride, name):
        return L.Conv2D(filters, size, strides=stride, padding="same", use_bias=False, kernel_initializer="he_normal", name=name)

    image = keras.Input((32, 32, 3), name="image")
    if name == "mobilenet":
        x = block(image, conv(32, 3, 1, "stem"), "stem")
        for i, (filters, stride) in enumerate(MOBILENET):
            depthwise = L.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False, name=f"b{i}_dw")
            x = block(x, depthwise, f"b{i}_dw")
            x = block(x, conv(filters, 1, 1, f"b{i}_pw"), f"b{i}_pw")
    else:
        raise SystemExit(f"there is no model {name}")
    x = L.GlobalAveragePooling2D(name="gap")(x)
    return keras.Model(image, L.Dense(10, name="logits")(x))


def make(name, file):
    import keras
    keras.utils.set_random_seed(SEED)
    model = build(name)
    assert sum(int(v.shape.num_elements()) for v in model.trainable_variables) == PARAMETERS[name]
    model.save(file)


def weights(file, out):
    import keras
    import numpy as np
    model = keras.saving.load_model(file, compile=False)
    np.savez(out, **{f"{layer.name}/{v.name}": v.numpy() for layer in model.layers for v in layer.weights})


if __name__ == "__main__":
    {"make": make, "weights": weights}[sys.argv[1]](*sys.argv[2:])
