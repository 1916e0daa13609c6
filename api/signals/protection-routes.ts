import { scoped } from '../access/policy.ts'
import { FREE } from '../access/token-bounds.ts'
import { Reply, route } from '../route/route.ts'
import type { MarketData } from '../market/market-data.ts'
import { requireExitWithinBounds } from './bounds.ts'
import { presentDecided } from './decision-record.ts'
import type { SignalDeps } from './deps.ts'
import { ownSignalToChange } from './own-signal.ts'
import { changeProtection } from './protection-commands.ts'
import { protectionEndpoints } from '#contract/signals/protection-endpoints.ts'

export const protectionRoutes = [
  route(protectionEndpoints['PATCH /api/v1/signals/:id/protection'], {
    access: scoped('signals:write', {
      work: 'trading',
      bounds: { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' },
    }),
    run: async ({ caller, path, body }, deps: SignalDeps & { market: MarketData }) => {
      const signal = await ownSignalToChange(caller, path.id)
      requireExitWithinBounds(caller.principal, signal)
      const { status, body: data } = presentDecided(await changeProtection(deps, caller, signal, body))
      return new Reply(status, data)
    },
  }),
]
