import { setTimeout as sleep } from 'node:timers/promises'

/** How one signal was answered. */
export interface FloodAnswer {
  status: number
  /** The code of a refusal, or of a call that failed; null for what was accepted. */
  code: string | null
  /** The accepted signal; null for a refused one. */
  signalId: string | null
  /** The body that was sent. */
  sent: object
  /** Milliseconds that the caller was told to wait; 0 when it was not. */
  retryAfter: number
  /** Milliseconds from the request to the whole answer. */
  took: number
}

/** Where signals are sent, and what. */
export interface FloodTarget {
  /** Of the API, without a path. */
  address: string
  token: string
  /** The body of the next signal. */
  nextBody(): object
}

/**
 * Sends one signal after the other until `until`, in milliseconds of `performance.now()`, each as soon as the one before was
 * answered.
 *
 * @param isPatient waits after a refusal for as long as `Retry-After` says
 */
export async function callUntil(
  until: number,
  target: FloodTarget,
  isPatient: boolean,
): Promise<FloodAnswer[]> {
  const answers: FloodAnswer[] = []
  while (performance.now() < until) {
    const answer = await callOnce(target)
    answers.push(answer)
    if (isPatient && answer.retryAfter > 0)
      await sleep(Math.min(answer.retryAfter, Math.max(until - performance.now(), 0)))
  }
  return answers
}

/** Not through the client of the API, which holds every answer against the API's description and takes CPU for it. */
async function callOnce({ address, token, nextBody }: FloodTarget): Promise<FloodAnswer> {
  const sent = nextBody()
  const sentAt = performance.now()
  const response = await fetch(`${address}/api/v1/signals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(sent),
  })
  const body = (await response.json()) as { code?: string; signal?: { id: string } }
  return {
    status: response.status,
    code: response.ok ? null : (body.code ?? String(response.status)),
    signalId: response.ok ? body.signal!.id : null,
    sent,
    took: performance.now() - sentAt,
    retryAfter: Number(response.headers.get('retry-after') ?? 0) * 1_000,
  }
}
