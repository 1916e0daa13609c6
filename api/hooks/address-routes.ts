import { listCalls, type CallOfHook } from '#db/hooks/calls.ts'
import { z } from 'zod'
import { inPerson } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { route } from '../route/route.ts'
import { hooksOrigin, type PublicAddresses } from './address.ts'
import { addressFaults, whereaboutsOf } from './public-address.ts'
import { hookAddressEndpoints, addressAnswer } from '#contract/hooks/address-endpoints.ts'

export const hookAddressRoutes = [
  route(hookAddressEndpoints['GET /api/v1/hooks/address'], {
    access: inPerson(),
    async run({ em, me }, { settings }: { settings: PublicAddresses }) {
      return checkAddress(hooksOrigin(settings), await listCalls(em, me.userId))
    },
  }),
]

type Check = z.output<typeof addressAnswer>

/** `calls`: the newest from each address, the newest first. */
function checkAddress(hooksUrl: string, calls: readonly CallOfHook[]): Check {
  const placed = calls.map((call) => ({ ...call, at: toIsoInstant(call.at), from: whereaboutsOf(call.ip) }))
  const last = placed[0] ?? null
  const lastFromOutside = placed.find(({ from }) => from === 'outside') ?? null
  const faults = addressFaults(hooksUrl)
  const missing = faults.length > 0 || lastFromOutside ? faults : [unproven(last)]
  return { hooksUrl, isPublic: faults.length === 0, missing, last, lastFromOutside }
}

const unproven = (last: Check['last']): Check['missing'][number] =>
  last === null
    ? {
        code: 'no_request_yet',
        message: 'No sender has called a hook yet: send the first message from outside',
      }
    : {
        code: 'no_request_from_outside',
        message: `The last request came from ${last.ip}: it was sent from within, or the proxy before the service is not named in TRUSTED_PROXIES`,
      }
