import type { CallOfHook } from '#db/hooks/calls.ts'
import { addressFaults, whereaboutsOf, type AddressFault, type Whereabouts } from './public-address.ts'

export interface PublicAddresses {
  PUBLIC_URL: string
  /** Where senders reach hooks; PUBLIC_URL when it is left out. */
  HOOKS_URL?: string | undefined
}

export const hooksOrigin = ({ PUBLIC_URL, HOOKS_URL }: PublicAddresses): string => HOOKS_URL ?? PUBLIC_URL

export interface Apart extends PublicAddresses {
  HOOKS_URL: string
}

/** Senders reach hooks by another address than people reach the service. */
export const isApart = (addresses: PublicAddresses): addresses is Apart =>
  addresses.HOOKS_URL !== undefined && addresses.HOOKS_URL !== new URL(addresses.PUBLIC_URL).origin

export interface PlacedCall extends CallOfHook {
  from: Whereabouts
}

export interface AddressCheck {
  hooksUrl: string
  /** Nothing in the address itself stands against TradingView's calls. */
  isPublic: boolean
  /** Empty once a request has come in from outside at such an address. */
  missing: { code: AddressFault['code'] | 'no_request_yet' | 'no_request_from_outside'; message: string }[]
  last: PlacedCall | null
  /** Outside this machine and private networks. */
  lastFromOutside: PlacedCall | null
}

/** `calls`: the newest from each address, the newest first. */
export function checkAddress(hooksUrl: string, calls: readonly CallOfHook[]): AddressCheck {
  const placed = calls.map((call) => ({ ...call, from: whereaboutsOf(call.ip) }))
  const last = placed[0] ?? null
  const lastFromOutside = placed.find(({ from }) => from === 'outside') ?? null
  const faults = addressFaults(hooksUrl)
  const missing = faults.length > 0 || lastFromOutside ? faults : [unproven(last)]
  return { hooksUrl, isPublic: faults.length === 0, missing, last, lastFromOutside }
}

const unproven = (last: PlacedCall | null): AddressCheck['missing'][number] =>
  last === null
    ? {
        code: 'no_request_yet',
        message: 'No sender has called a hook yet: send the first message from outside',
      }
    : {
        code: 'no_request_from_outside',
        message: `The last request came from ${last.ip}: it was sent from within, or the proxy before the service is not named in TRUSTED_PROXIES`,
      }
