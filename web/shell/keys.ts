/** After G: the page of a letter. */
export const GO = {
  a: { to: '/approvals', name: 'Approvals' },
  s: { to: '/signals', name: 'Signals' },
  o: { to: '/orders', name: 'Orders' },
  p: { to: '/positions', name: 'Positions' },
  t: { to: '/', name: 'Today' },
} as const

/** Milliseconds after G in which a letter is the name of a page. */
export const GO_MS = 3_000

/**
 * Keys that are two: G, then the letter of a page. While the letter is waited for, no other key does anything, so that
 * G A on the page of approvals opens a page and approves nothing.
 */
export class GoKeys {
  #began = Number.NEGATIVE_INFINITY

  /**
   * What a key does: it begins, leads to a page, ends the waiting without one (null), or is none of ours (undefined).
   *
   * @param now milliseconds of a clock that only goes on
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

/** Every key, by the page on which it works. */
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
