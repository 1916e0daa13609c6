import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'

export type Halt = Routes['GET /api/v1/settings/halts']['answers'][200]['data']['halts'][number]

/** The halts that stand now; the stream tells when one is set or lifted. */
export function useHalts(): readonly Halt[] {
  const { data } = useQuery({
    queryKey: ['halts'],
    queryFn: async () => (await dataOf('GET /api/v1/settings/halts', { query: { limit: 20 } })).halts,
  })
  return (data ?? []).filter(({ liftedAt }) => liftedAt === null)
}

/** Throws and lifts the switch of all accounts of the person, or that of the whole service. */
export function useSwitch(scope: 'user' | 'global') {
  const refresh = () => readChanged('halts')
  return {
    stop: async (level: Halt['level'], reason: string) => {
      const body = { level, reason }
      if (scope === 'user') await ask('PUT /api/v1/settings/halt', { body })
      else await ask('PUT /api/v1/admin/halt', { body })
      await refresh()
    },
    resume: async () => {
      if (scope === 'user') await ask('DELETE /api/v1/settings/halt')
      else await ask('DELETE /api/v1/admin/halt')
      await refresh()
    },
  }
}

export const LEVELS = {
  pauseEntries: {
    name: 'Pause entries',
    stands: 'Entries are paused',
    effect: 'No signal opens a position. Exits go on.',
  },
  reduceOnly: {
    name: 'Reduce only',
    stands: 'Only reducing is allowed',
    effect: 'Nothing opens a position, manual orders neither. Exits go on.',
  },
  fullStop: {
    name: 'Full stop',
    stands: 'Everything is stopped',
    effect: 'Nothing is sent. Exits wait too: positions stay open past their exit time.',
  },
} as const satisfies Record<Halt['level'], { name: string; stands: string; effect: string }>
