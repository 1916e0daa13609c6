/** Pages by the letter after G. */
export const GO = {
  a: { to: '/approvals', name: 'Approvals' },
  s: { to: '/signals', name: 'Signals' },
  o: { to: '/orders', name: 'Orders' },
  p: { to: '/positions', name: 'Positions' },
  t: { to: '/', name: 'Today' },
} as const

/** Milliseconds after G in which a letter names a page. */
export const GO_MS = 3_000

/**
 * Sequences of two keys: G, then the letter of a page. Meanwhile other keys do nothing, so that G A on the page of
 * approvals approves nothing.
 */
export class GoKeys {
  #began = Number.NEGATIVE_INFINITY

  /**
   * Effect of a key: it begins a sequence, opens a page, ends the sequence without one (null), or is not ours
   * (undefined).
   *
   * @param now milliseconds of a monotonic clock
   */
  press(key: string, now: number): 'begun' | (typeof GO)[keyof typeof GO]['to'] | null | undefined {
    if (now - this.#began < GO_MS) {
      this.#began = Number.NEGATIVE_INFINITY
      return key in GO ? GO[key as keyof typeof GO].to : null
    }
    if (key !== 'g') return undefined
    this.#began = now
    return 'begun'
  }
}

export const KEYS = [
  {
    where: 'On every page',
    keys: [
      ['Ctrl K or ⌘ K', 'find a page, a symbol, a signal or an action'],
      ...Object.entries(GO).map(([key, { name }]) => [`G ${key.toUpperCase()}`, name] as const),
      ['?', 'this list'],
    ],
  },
  {
    where: 'Approvals',
    keys: [
      ['J K', 'the next signal, the one before'],
      ['A', 'approve'],
      ['E', 'edit'],
      ['R', 'reject'],
      ['U', 'undo a rejection'],
    ],
  },
  {
    where: 'Signals',
    keys: [
      ['N', 'new signal'],
      ['/', 'filter by symbol'],
    ],
  },
] as const
