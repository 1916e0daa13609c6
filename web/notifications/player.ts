import { serviceNow } from '../connection/clock.ts'
import { isLeading, onNews } from '../connection/live.ts'
import { createStopwatch } from '../connection/stopwatch.ts'
import { createHearing, readSounds, type SoundKind } from './sounds.ts'

/** Storage key, read for each sound: the tab that plays is seldom the tab of the settings. */
const PLACE = 'sounds'
export const chosenSounds = (): SoundKind[] => readSounds(localStorage.getItem(PLACE))
export const keepSounds = (kinds: readonly SoundKind[]): void => localStorage.setItem(PLACE, kinds.join(' '))

/** Tones in hertz: rising for good events, falling for bad ones. */
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
/** Milliseconds between two sounds; only the first of a burst is played. */
const SOUND_PAUSE_MS = 2_000

let audio: AudioContext | undefined

/** Plays a sound where the browser permits it: only in a tab with a press since its load. */
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
    // A rise and a fall avoid clicks.
    volume.gain.setValueAtTime(0, from)
    volume.gain.linearRampToValueAtTime(LOUDNESS, from + TONE / 8)
    volume.gain.linearRampToValueAtTime(0, from + TONE)
    tone.connect(volume).connect(audio.destination)
    tone.start(from)
    tone.stop(from + TONE)
  }
}

export function startSounds(): void {
  const hear = createHearing()
  const pause = createStopwatch()
  let hasPlayed = false
  onNews((news) => {
    // Every tab remembers events, because it may become the reading tab.
    const kind = hear(news, serviceNow())
    if (kind === null || !isLeading() || !chosenSounds().includes(kind)) return
    if (hasPlayed && pause.milliseconds() < SOUND_PAUSE_MS) return
    hasPlayed = true
    pause.restart()
    void play(kind)
  })
}
