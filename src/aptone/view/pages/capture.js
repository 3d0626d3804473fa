// Audio worklet that hands every block of the microphone to the page.

class Capture extends AudioWorkletProcessor {
  process(inputs) {
    const [channel] = inputs[0];
    if (channel) this.port.postMessage(channel.slice());
    return true;
  }
}

registerProcessor("aptone-capture", Capture);
