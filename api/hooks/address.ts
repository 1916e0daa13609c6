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
