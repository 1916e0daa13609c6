import { pauseAfter } from '#domain/backoff.ts'

/** Milliseconds for which a push service that fails is left alone: longer each time. */
const PUSH_SERVICE_PAUSE_MS = { first: 5_000, most: 30_000 }
/** Users whose messages fail before the fault counts as the service's: of one alone it may be their browsers'. */
const FAILING_USERS = 2
/** Milliseconds after which a failure says nothing any more. */
const PUSH_FAILURE_REMEMBERED_MS = 120_000

interface Trouble {
  /** Whose messages have failed since the last one that was taken; no more are kept than are needed. */
  users: Set<string>
  /** Times that it was left alone since then. */
  pauses: number
  failedAt: number
  /** By `performance.now()`. */
  leftAloneUntil: number
}

/**
 * Which push services fail, as this process has seen. A service that took nothing of several users is left alone for a while, and
 * then tried with one message, until it takes messages again.
 */
export class ServiceHealth {
  /** By origin; a service that takes messages is not in it. */
  readonly #troubles = new Map<string, Trouble>()
  /** By origin, when a message was answered last. */
  readonly #answers = new Map<string, number>()

  /**
   * A message was not taken. Returns for how many milliseconds the service is left alone from now on; null if it is not, or was
   * already.
   *
   * @param sentAt when it was sent, by `performance.now()`: a service that has answered somebody since is not at fault
   */
  failed(service: string, userId: string, sentAt: number): number | null {
    const now = performance.now()
    if ((this.#answers.get(service) ?? -Infinity) >= sentAt) return null
    const trouble = this.#troubleOf(service, now)
    trouble.failedAt = now
    if (trouble.users.size < FAILING_USERS) trouble.users.add(userId)
    if (trouble.users.size < FAILING_USERS || now < trouble.leftAloneUntil) return null
    trouble.pauses += 1
    const pause = pauseAfter(trouble.pauses, PUSH_SERVICE_PAUSE_MS)
    trouble.leftAloneUntil = now + pause
    return pause
  }

  /** The service has answered, whatever it thinks of the message. */
  answered(service: string): void {
    this.#troubles.delete(service)
    this.#answers.set(service, performance.now())
  }

  /** Messages that may be under way at once to each service that fails; to all others as many as ever. */
  bounds(): Map<string, number> {
    const now = performance.now()
    for (const [service, { failedAt }] of this.#troubles)
      if (now - failedAt > PUSH_FAILURE_REMEMBERED_MS) this.#troubles.delete(service)
    for (const [service, answeredAt] of this.#answers)
      if (now - answeredAt > PUSH_FAILURE_REMEMBERED_MS) this.#answers.delete(service)
    const failing = [...this.#troubles].filter(([, { pauses }]) => pauses > 0)
    return new Map(failing.map(([service, { leftAloneUntil }]) => [service, now < leftAloneUntil ? 0 : 1]))
  }

  #troubleOf(service: string, now: number): Trouble {
    const known = this.#troubles.get(service)
    if (known && now - known.failedAt <= PUSH_FAILURE_REMEMBERED_MS) return known
    const trouble = { users: new Set<string>(), pauses: 0, failedAt: now, leftAloneUntil: 0 }
    this.#troubles.set(service, trouble)
    return trouble
  }
}
