import type { Action, Target } from '#domain/signal/signal.ts'

const targetOf = (position: Target['position']): Target => ({ position, exit: null, at: null })

/** Signals by what they may open: nothing, a position, or the other side of one that their order closes. */
export const ENTRY_KINDS = {
  opens: { action: 'openLong', target: null },
  closes: { action: 'closeLong', target: null },
  goesToTarget: { action: 'openLong', target: targetOf('10') },
  goesToZero: { action: 'closeLong', target: targetOf('0') },
  reverses: { action: 'closeLong', target: targetOf('-10') },
} as const satisfies Record<string, { action: Action; target: Target | null }>
export type EntryKind = keyof typeof ENTRY_KINDS
