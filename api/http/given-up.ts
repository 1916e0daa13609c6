import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<{ isGivenUp: boolean }>()

/** Runs a request: its transactions end with it when its sender is told to send it again. */
export const asRequest = <T>(work: () => T): T => requests.run({ isGivenUp: false }, work)

export const beyondRequest = <T>(work: () => T): T => requests.exit(work)

/** The sender is told to send the request again: nothing of it is committed any more. */
export function giveUpRequest(): void {
  const request = requests.getStore()
  if (request) request.isGivenUp = true
}

export const whyGivenUp = (): string | null =>
  requests.getStore()?.isGivenUp === true
    ? 'the request was refused before its transaction could be committed'
    : null
