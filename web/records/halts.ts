import { useQuery } from '@tanstack/react-query'
import type { Halt } from '../words/halts.ts'
import type { HaltedOrder } from '#domain/risk/halt.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { queries, readChanged } from '../connection/queries.ts'

/** An exit, or another order of a signal that closes. */
export const CLOSING: HaltedOrder = { reducing: true, isManual: false }

const KEY = ['halts']

/** The halts in force; the stream reports when one is set or lifted. */
export function useHalts(): readonly Halt[] {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await dataOf('GET /api/v1/settings/halts', { query: { limit: 20 } })).halts,
  })
  return (data ?? []).filter(({ liftedAt }) => liftedAt === null)
}

/** Shows the answer at once, also if halts cannot be read again in this minute. */
function show(halt: Halt): void {
  const isReplaced = ({ scope, accountId }: Halt): boolean =>
    scope === halt.scope && accountId === halt.accountId
  queries.setQueryData<Halt[]>(KEY, (known = []) => [halt, ...known.filter((one) => !isReplaced(one))])
  void readChanged('halts', 'agenda')
}

/** Sets and lifts the halt of all accounts of the person, or of the whole service. */
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
