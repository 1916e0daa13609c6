import type { Routes } from '#client/types.ts'
import { HALT_LEVELS, haltOf } from '#domain/risk/halt.ts'

export type Halt = Routes['GET /api/v1/settings/halts']['answers'][200]['data']['halts'][number]

export const LEVELS = {
  pauseEntries: {
    name: 'Pause entries',
    pill: 'PAUSED',
    stands: 'Entries are paused',
    effect: 'Signals open no positions. Exits and manual orders continue.',
  },
  reduceOnly: {
    name: 'Reduce only',
    pill: 'REDUCE ONLY',
    stands: 'Only reducing is allowed',
    effect: 'No order opens a position, not even a manual one. Exits continue.',
  },
  fullStop: {
    name: 'Full stop',
    pill: 'STOPPED',
    stands: 'Everything is stopped',
    effect: 'No new order is sent: exits wait, and closing by hand is refused.',
  },
} as const satisfies Record<Halt['level'], { name: string; pill: string; stands: string; effect: string }>

export const SCOPES = {
  global: 'the whole service',
  operator: 'you, by an administrator,',
  user: 'all your accounts',
  account: 'one account',
} as const satisfies Record<Halt['scope'], string>

/** The most severe halt in a word, with the number of accounts unless it binds all: "STOPPED 1/2". Null without one. */
export function pillOf(halts: readonly Halt[], accounts: readonly string[]): string | null {
  const levels = (accounts.length === 0 ? [''] : accounts).map((id) => haltOf(halts, id)?.level ?? null)
  const worst = HALT_LEVELS.findLast((level) => levels.includes(level))
  if (worst === undefined) return null
  const bound = levels.filter((level) => level === worst).length
  return bound === levels.length ? LEVELS[worst].pill : `${LEVELS[worst].pill} ${bound}/${levels.length}`
}
