// The keys of the rating page.

/** @param {object} act what each key does; `play` is given what to do with the player in focus */
export function ratingKeys(act) {
  const toggle = () => act.play((player) => player.toggle());
  const seek = (step) => () => act.play((player) => player.skip(step));
  return [
    { keys: ["space"], shown: ["Space"], label: "keys.play", run: toggle },
    { keys: ["f2"], shown: ["F2"], label: "keys.play-typing", everywhere: true, run: toggle },
    { keys: ["r"], shown: ["R"], label: "keys.replay", run: () => act.play((player) => player.replay()) },
    { keys: ["e"], shown: ["E"], label: "keys.region", run: () => act.play((player) => player.playRegion()) },
    { keys: ["arrowleft", "shift+arrowleft"], shown: ["←", "→"], label: "keys.seek", run: seek(-1) },
    { keys: ["arrowright", "shift+arrowright"], run: seek(1) },
    { keys: ["c"], shown: ["C"], label: "keys.clip", run: act.otherClip },
    {
      keys: [..."0123456789."],
      shown: ["0", "…", "9", "."],
      label: "keys.digits",
      run: (event, key) => act.digit(key),
    },
    { keys: ["j"], shown: ["Tab", "J", "K"], label: "keys.move", run: () => act.move(1) },
    { keys: ["k"], run: () => act.move(-1) },
    { keys: ["escape"], shown: ["Esc"], label: "keys.field", everywhere: true, run: act.leaveField },
    { keys: ["enter"], shown: ["Enter"], label: "keys.submit", run: act.submit },
    { keys: ["ctrl+enter"], everywhere: true, run: act.submit },
    { keys: ["p"], shown: ["P"], label: "keys.previous", run: act.previous },
    { keys: ["t"], shown: ["T"], label: "keys.target", run: act.toTarget },
    { keys: ["?", "？"], shown: ["?"], label: "keys.help", run: act.help },
  ];
}
