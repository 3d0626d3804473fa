"""Tiny sentence encoders, recognisers and synthesisers with random weights, made on the spot."""

import json
from pathlib import Path
from typing import Any

from tests.models.local_models import text_sizes, tokenizer, transformers

LETTERS = list("abcdefghijklmnopqrstuvwxyz'")


def save_sentence_encoder(
    folder: Path, *, pooling: str = "", prompt: str = "", further: str = "", longest: int = 64
) -> Path:
    """A decoder of the kind of Qwen3-Embedding; with a pooling, the files of sentence-transformers are beside it."""
    import torch

    library, reads = transformers(), tokenizer()
    torch.manual_seed(0)
    library.Qwen2Model(library.Qwen2Config(**text_sizes(len(reads)))).save_pretrained(folder)
    reads.save_pretrained(folder)
    if pooling:
        kinds = ["Transformer", "Pooling", further or "Normalize"]
        modules = [
            {"idx": k, "path": f"{k}_{kind}", "type": f"sentence_transformers.models.{kind}"}
            for k, kind in enumerate(kinds)
        ]
        (folder / "1_Pooling").mkdir()
        _write(folder / "modules.json", modules)
        _write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 16, pooling: True})
        _write(folder / "sentence_bert_config.json", {"max_seq_length": longest})
        _write(
            folder / "config_sentence_transformers.json", {"prompts": {"query": prompt}, "default_prompt_name": "query"}
        )
    return folder


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")


def save_whisper(folder: Path, *, multilingual: bool) -> Path:
    """A model of the kind of Whisper, which hears two seconds at once."""
    import torch

    library = transformers()
    reads = _whisper_tokenizer()
    torch.manual_seed(0)
    begin = reads.convert_tokens_to_ids("<|startoftranscript|>")
    config = library.WhisperConfig(
        vocab_size=len(reads),
        num_mel_bins=16,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_source_positions=100,
        max_target_positions=64,
        decoder_start_token_id=begin,
        bos_token_id=reads.eos_token_id,
        eos_token_id=reads.eos_token_id,
        pad_token_id=reads.eos_token_id,
        begin_suppress_tokens=None,
    )
    model = library.WhisperForConditionalGeneration(config)
    settings = model.generation_config
    settings._from_model_config = False  # else it is made anew when the model is loaded
    settings.is_multilingual = multilingual
    settings.no_timestamps_token_id = reads.convert_tokens_to_ids("<|notimestamps|>")
    settings.max_initial_timestamp_index = 20
    if multilingual:
        settings.lang_to_id = {f"<|{code}|>": reads.convert_tokens_to_ids(f"<|{code}|>") for code in ("en", "zh")}
        settings.task_to_id = {"transcribe": reads.convert_tokens_to_ids("<|transcribe|>")}
    model.save_pretrained(folder)
    extractor = library.WhisperFeatureExtractor(feature_size=16, chunk_length=2, n_fft=400, hop_length=160)
    library.WhisperProcessor(feature_extractor=extractor, tokenizer=reads).save_pretrained(folder)
    return folder


def _whisper_tokenizer() -> Any:
    library = transformers()
    from tokenizers import pre_tokenizers

    vocabulary = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocabulary["<|endoftext|>"] = len(vocabulary)
    reads = library.WhisperTokenizer(vocab=vocabulary, merges=[])
    special = [
        "<|startoftranscript|>",
        "<|en|>",
        "<|zh|>",
        "<|translate|>",
        "<|transcribe|>",
        "<|startofprev|>",
        "<|nospeech|>",
    ]
    reads.add_special_tokens({"additional_special_tokens": [*special, "<|notimestamps|>"]})
    reads.add_tokens([f"<|{0.02 * step:.2f}|>" for step in range(101)])
    return reads


def save_ctc(folder: Path, *, letters: list[str] = LETTERS) -> Path:
    """A model of the kind of wav2vec 2.0, with 20 ms a frame."""
    import torch

    library = transformers()
    names = ["<pad>", "<s>", "</s>", "<unk>", "|", *letters]
    vocabulary = folder / "vocab.json"
    _write(vocabulary, {name: number for number, name in enumerate(names)})
    reads = library.Wav2Vec2CTCTokenizer(str(vocabulary))
    torch.manual_seed(0)
    config = library.Wav2Vec2Config(
        vocab_size=len(names),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        conv_dim=(8, 8),
        conv_stride=(20, 16),
        conv_kernel=(20, 16),
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        pad_token_id=0,
    )
    library.Wav2Vec2ForCTC(config).save_pretrained(folder)
    extractor = library.Wav2Vec2FeatureExtractor(sampling_rate=16_000)
    library.Wav2Vec2Processor(feature_extractor=extractor, tokenizer=reads).save_pretrained(folder)
    return folder


def save_vits(folder: Path, *, language: str = "eng", speakers: int = 1) -> Path:
    """A model of the kind of MMS-TTS, at 8 kHz."""
    import torch

    library = transformers()
    vocabulary = folder / "letters.json"
    _write(vocabulary, {letter: number for number, letter in enumerate([*LETTERS, " ", "_", "<unk>"])})
    reads = library.VitsTokenizer(
        str(vocabulary), pad_token="_", unk_token="<unk>", language=language, phonemize=False, is_uroman=False
    )
    torch.manual_seed(0)
    config = library.VitsConfig(
        vocab_size=len(LETTERS) + 3,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        ffn_dim=16,
        flow_size=16,
        spectrogram_bins=17,
        upsample_initial_channel=16,
        upsample_rates=[8, 8],
        upsample_kernel_sizes=[16, 16],
        resblock_kernel_sizes=[3],
        resblock_dilation_sizes=[[1]],
        prior_encoder_num_flows=2,
        prior_encoder_num_wavenet_layers=1,
        posterior_encoder_num_wavenet_layers=1,
        duration_predictor_num_flows=2,
        duration_predictor_flow_bins=4,
        duration_predictor_filter_channels=16,
        depth_separable_num_layers=1,
        wavenet_dilation_rate=1,
        sampling_rate=8000,
        num_speakers=speakers,
        speaker_embedding_size=4 if speakers > 1 else 0,
    )
    library.VitsModel(config).save_pretrained(folder)
    reads.save_pretrained(folder)
    return folder


def save_wavlm(folder: Path) -> Path:
    """A model of the kind of WavLM: 320 samples at 16 kHz from frame to frame, as in the large one."""
    import torch

    library = transformers()
    torch.manual_seed(0)
    config = library.WavLMConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(8, 8),
        conv_kernel=(40, 8),
        conv_stride=(40, 8),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
    )
    library.WavLMModel(config).save_pretrained(folder)
    library.Wav2Vec2FeatureExtractor(do_normalize=True, sampling_rate=16_000).save_pretrained(folder)
    return folder


def _tiny_wav2vec2(labels: list[str], **further: Any) -> Any:
    """Configuration of a wav2vec 2.0 with 20 ms a frame and these classes."""
    return transformers().Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        conv_dim=(8, 8),
        conv_stride=(20, 16),
        conv_kernel=(20, 16),
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        classifier_proj_size=8,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        **further,
    )


def save_audio_classifier(folder: Path, *, labels: list[str], head: bool = True, **further: Any) -> Path:
    """A wav2vec 2.0 that classifies sounds; without a head, only its encoder."""
    import torch

    library = transformers()
    torch.manual_seed(0)
    kind = library.Wav2Vec2ForSequenceClassification if head else library.Wav2Vec2Model
    model = kind(_tiny_wav2vec2(labels, **further))
    if head:  # or all classes are about as likely
        torch.nn.init.normal_(model.classifier.weight)
    model.save_pretrained(folder)
    library.Wav2Vec2FeatureExtractor(do_normalize=True, sampling_rate=16_000).save_pretrained(folder)
    return folder


def save_dimensions(folder: Path, *, labels: list[str], bias: list[float]) -> Path:
    """A model of the kind of wav2vec2-dim that gives the same numbers for every sound."""
    import torch

    from aptone.models.local.dimension_head import Wav2Vec2ForDimensions

    library = transformers()
    torch.manual_seed(0)
    model = Wav2Vec2ForDimensions(_tiny_wav2vec2(labels))
    with torch.no_grad():
        model.classifier.out_proj.weight.zero_()
        model.classifier.out_proj.bias.copy_(torch.tensor(bias))
    model.save_pretrained(folder)
    library.Wav2Vec2FeatureExtractor(do_normalize=True, sampling_rate=16_000).save_pretrained(folder)
    return folder
