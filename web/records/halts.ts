import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { HALT_LEVELS, haltOf, type HaltedOrder } from '#domain/halt.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { queries, readChanged } from '../connection/queries.ts'

export type Halt = Routes['GET /api/v1/settings/halts']['answers'][200]['data']['halts'][number]

/** An exit, or another order of a signal that closes. */
export const CLOSING: HaltedOrder = { reducing: true, isManual: false }

const KEY = ['halts']

/** The halts that stand now; the stream tells when one is set or lifted. */
export function useHalts(): readonly Halt[] {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await dataOf('GET /api/v1/settings/halts', { query: { limit: 20 } })).halts,
  })
  return (data ?? []).filter(({ liftedAt }) => liftedAt === null)
}

/** Shows at once what the service has answered, also where it cannot be read again in this minute. */
function show(halt: Halt): void {
  const isReplaced = ({ scope, accountId }: Halt): boolean =>
    scope === halt.scope && accountId === halt.accountId
  queries.setQueryData<Halt[]>(KEY, (known = []) => [halt, ...known.filter((one) => !isReplaced(one))])
  void readChanged('halts', 'agenda')
}

/** Throws and lifts the switch of all accounts of the person, or that of the whole service. */
export function useSwitch(scope: 'user' | 'global') {
  return {
    stop: async (level: Halt['level'], reason: string | null): Promise<Halt> => {
      const body = { level, reason }
      const answer =
        scope === 'user'
          ? await ask('PUT /api/v1/settings/halt', { body })
          : await ask('PUT /api/v1/admin/halt', { body })
      show(answer.body.data.halt)
      return answer.body.data.halt
    },
    resume: async (): Promise<void> => {
      const answer =
        scope === 'user' ? await ask('DELETE /api/v1/settings/halt') : await ask('DELETE /api/v1/admin/halt')
      show(answer.body.data.halt)
    },
  }
}

export const LEVELS = {
  pauseEntries: {
    name: 'Pause entries',
    pill: 'PAUSED',
    stands: 'Entries are paused',
    effect: 'No signal opens a position. Exits and orders by hand go on.',
  },
  reduceOnly: {
    name: 'Reduce only',
    pill: 'REDUCE ONLY',
    stands: 'Only reducing is allowed',
    effect: 'Nothing opens a position, orders by hand neither. Exits go on.',
  },
  fullStop: {
    name: 'Full stop',
    pill: 'STOPPED',
    stands: 'Everything is stopped',
    effect: 'Nothing is sent. Exits wait past their time, and closing by hand is refused.',
  },
} as const satisfies Record<Halt['level'], { name: string; pill: string; stands: string; effect: string }>

/** Whom a stop binds. */
export const SCOPES = {
  global: 'the whole service',
  operator: 'you, by an administrator,',
  user: 'all your accounts',
  account: 'one account',
} as const satisfies Record<Halt['scope'], string>

/** The most severe stop in a word, with how many accounts it binds where it does not bind all: "STOPPED 1/2". Null without one. */
export function pillOf(halts: readonly Halt[], accounts: readonly string[]): string | null {
  const levels = (accounts.length === 0 ? [''] : accounts).map((id) => haltOf(halts, id)?.level ?? null)
  const worst = HALT_LEVELS.findLast((level) => levels.includes(level))
  if (worst === undefined) return null
  const bound = levels.filter((level) => level === worst).length
  return bound === levels.length ? LEVELS[worst].pill : `${LEVELS[worst].pill} ${bound}/${levels.length}`
}
