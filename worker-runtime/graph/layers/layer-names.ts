/** The names of the layer blocks, for what lists them without loading how they are made. */

/** As Keras names them, in the order in which they are offered. */
export const LAYER_NAMES = [
  "Dense",
  "Conv2D",
  "DepthwiseConv2D",
  "MaxPooling2D",
  "AveragePooling2D",
  "GlobalAveragePooling2D",
  "BatchNorm",
  "LayerNorm",
  "Dropout",
  "Embedding",
  "LSTM",
  "GRU",
  "MultiHeadAttention",
  "CrossEntropyLoss",
  "MeanSquaredError",
  "Accuracy",
  "ArrayPipeline",
  "CsvPipeline",
  "TextPipeline",
  "TFRecordPipeline",
] as const;

export type LayerName = (typeof LAYER_NAMES)[number];
