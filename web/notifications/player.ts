import { serviceNow } from '../connection/clock.ts'
import { isLeading, onNews } from '../connection/live.ts'
import { createStopwatch } from '../connection/stopwatch.ts'
import { createHearing, readSounds, type SoundKind } from './sounds.ts'

/** Where the browser keeps its choice. It is read for each sound: the tab that plays is seldom the one of the settings. */
const PLACE = 'sounds'
export const chosenSounds = (): SoundKind[] => readSounds(localStorage.getItem(PLACE))
export const keepSounds = (kinds: readonly SoundKind[]): void => localStorage.setItem(PLACE, kinds.join(' '))

/** The tones of each kind, in hertz, one after the other: up for what is good, down for what is not. */
const TONES: Record<SoundKind, readonly number[]> = {
  waiting: [660, 880],
  filled: [523, 659],
  closed: [523, 659, 784],
  refused: [440, 330],
  alert: [740, 740, 740],
}
/** Seconds. */
const TONE = 0.14
const LOUDNESS = 0.2
/** Milliseconds between two sounds: of a burst the first is heard. */
const SOUND_PAUSE_MS = 2_000

let audio: AudioContext | undefined

/** Plays a sound, where the browser allows it: only in a tab in which a person has pressed something since it was loaded. */
export async function play(kind: SoundKind): Promise<void> {
  if (!navigator.userActivation.hasBeenActive) return
  audio ??= new AudioContext()
  await audio.resume()
  const beginning = audio.currentTime
  for (const [index, frequency] of TONES[kind].entries()) {
    const from = beginning + index * TONE
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    tone.frequency.value = frequency
    // Without a rise and a fall each end would be a click.
    volume.gain.setValueAtTime(0, from)
    volume.gain.linearRampToValueAtTime(LOUDNESS, from + TONE / 8)
    volume.gain.linearRampToValueAtTime(0, from + TONE)
    tone.connect(volume).connect(audio.destination)
    tone.start(from)
    tone.stop(from + TONE)
  }
}

/** Plays what was chosen when news arrive: in one tab of the browser, the one that reads the stream. */
export function startSounds(): void {
  const hear = createHearing()
  const pause = createStopwatch()
  let hasPlayed = false
  onNews((news) => {
    // The others remember what was heard, for the day on which they lead.
    const kind = hear(news, serviceNow())
    if (kind === null || !isLeading() || !chosenSounds().includes(kind)) return
    if (hasPlayed && pause.milliseconds() < SOUND_PAUSE_MS) return
    hasPlayed = true
    pause.restart()
    void play(kind)
  })
}
