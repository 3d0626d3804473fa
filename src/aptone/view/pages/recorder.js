// Recording with the microphone: samples as they come, without the browser's own treatment, as WAV of 16 bits.

export class Recorder {
  /** @param {(level: number, seconds: number) => void} onLevel called with the peak of each block */
  constructor(onLevel) {
    this.onLevel = onLevel;
    this.blocks = [];
    this.length = 0;
  }

  /** Asks for the microphone and begins. */
  async start() {
    const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 };
    this.stream = await navigator.mediaDevices.getUserMedia({ audio: plain });
    try {
      this.context = new AudioContext();
      await this.context.audioWorklet.addModule("/static/capture.js");
      await this.context.resume();
      this.node = new AudioWorkletNode(this.context, "aptone-capture", { numberOfOutputs: 0 });
      this.node.port.onmessage = ({ data }) => this.take(data);
      this.context.createMediaStreamSource(this.stream).connect(this.node);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  take(block) {
    this.blocks.push(block);
    this.length += block.length;
    let peak = 0;
    for (const sample of block) peak = Math.max(peak, Math.abs(sample));
    this.onLevel(peak, this.length / this.context.sampleRate);
  }

  /** Ends, and returns the recording; null if nothing came. */
  stop() {
    const rate = this.context.sampleRate;
    this.release();
    return this.length ? wavFile(this.blocks, this.length, rate) : null;
  }

  release() {
    for (const track of this.stream.getTracks()) track.stop();
    if (this.node) this.node.port.onmessage = null;
    if (this.context) this.context.close();
  }
}

/** Blocks of samples from -1 to 1 as a WAV file. */
export function wavFile(blocks, length, rate) {
  const view = new DataView(new ArrayBuffer(44 + 2 * length));
  const text = (place, letters) => [...letters].forEach((one, index) => view.setUint8(place + index, one.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * length, true);
  let place = 44;
  for (const block of blocks)
    for (const sample of block) {
      view.setInt16(place, Math.round(Math.max(-1, Math.min(1, sample)) * 32767), true);
      place += 2;
    }
  return new Blob([view], { type: "audio/wav" });
}
