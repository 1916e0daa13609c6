import { AsyncLocalStorage } from 'node:async_hooks'

/** A request, for the work that it has begun. */
const requests = new AsyncLocalStorage<{ isGivenUp: boolean }>()

/** Runs a request, whose transactions are to end with it when its sender is told to send it again. */
export const asRequest = <T>(work: () => T): T => requests.run({ isGivenUp: false }, work)

/** Runs work that goes on when the request that began it has been answered, whatever the answer was. */
export const beyondRequest = <T>(work: () => T): T => requests.exit(work)

/** The sender of this request is told to send it again: what it has begun is committed no more. */
export function giveUpRequest(): void {
  const request = requests.getStore()
  if (request) request.isGivenUp = true
}

/** Why what this request has begun is committed no more, in words for the log; null where it is. */
export const whyGivenUp = (): string | null =>
  requests.getStore()?.isGivenUp === true
    ? 'the request was refused before its transaction could be committed'
    : null
