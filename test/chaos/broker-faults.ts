/** How submissions go wrong; each as often as the others. */
const SUBMISSION_FAULTS = [
  ...(['hang', 'reset', '500', 'garbage'] as const).flatMap((mode) =>
    (['before', 'after'] as const).map((when) => ({ mode, when })),
  ),
  { mode: '429', retryAfterSeconds: 1 },
  { mode: 'late' },
]
/** Longer than the service waits for an answer. */
const HANG_MS = 6_000

/**
 * A fault script in which this share of all submissions goes wrong, a quarter of it of all look-ups, and a quarter
 * of it of all messages of the order stream; in which some orders are filled in two parts, some rejected after their
 * acceptance, some cancels take their time or come after a fill, and positions lag behind their fills.
 */
export function faultScriptFor(rate: number): object[] {
  if (rate === 0) return []
  const each = rate / SUBMISSION_FAULTS.length
  return [
    ...SUBMISSION_FAULTS.map((fault, place) => ({
      on: 'submit',
      ...fault,
      hangMs: HANG_MS,
      // The first rule that strikes decides, so each is asked only about what those before it have spared.
      probability: each / (1 - each * place),
    })),
    { on: 'lookup', mode: '503', probability: rate / 4 },
    { on: 'positions', mode: 'behind', lagMs: 2_000, probability: rate / 4 },
    { on: 'stream', mode: 'mute', probability: rate / 8 },
    { on: 'stream', mode: 'duplicate', probability: rate / 8 },
    { on: 'fill', mode: 'partial', fraction: 0.4, holdMs: 1_500, probability: rate / 4 },
    { on: 'accepted', mode: 'reject', delayMs: 300, probability: rate / 10 },
    { on: 'cancel', mode: 'pending', delayMs: 1_500, probability: rate / 2 },
    { on: 'cancel', mode: 'fill', delayMs: 300, probability: rate / 4 },
  ]
}
