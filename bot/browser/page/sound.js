// Short sounds made in the browser, where the person has turned them on.

import { options } from "./options.js";

const NOTES = { card: [[900, 0.03]], chips: [[1500, 0.03], [1900, 0.04]], check: [[220, 0.05]], fold: [[160, 0.08]], turn: [[660, 0.1], [880, 0.14]] };  // Hz and s

let audio = null;

function play(name) {
  audio ??= new AudioContext();
  audio.resume();
  let at = audio.currentTime;
  for (const [pitch, seconds] of NOTES[name]) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds;
  }
}

// Let hear what has changed between two views of the table.
export function soundOf(before, hand) {
  if (!options.sound || !hand || (before?.hand === hand.hand && before.betting === hand.betting)) return;
  const last = hand.actions.at(-1);
  if (hand.choice) play("turn");
  else if (before?.hand !== hand.hand || !last) play("card");
  else play({ f: "fold", d: "card" }[last.kind] ?? (last.chips ? "chips" : "check"));
}
