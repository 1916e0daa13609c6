import { pauseAfter } from '#domain/async/backoff.ts'

/** Milliseconds of growing pauses after failures. */
const PUSH_SERVICE_PAUSE_MS = { first: 5_000, most: 30_000 }
/** With fewer, their browsers may be at fault. */
const FAILING_USERS = 2
const PUSH_FAILURE_REMEMBERED_MS = 120_000

interface Trouble {
  users: Set<string>
  pauses: number
  failedAt: number
  leftAloneUntil: number
}

/** A service that fails for several users pauses, then gets one message at a time. */
export class ServiceHealth {
  readonly #troubles = new Map<string, Trouble>()
  readonly #answers = new Map<string, number>()

  /** Milliseconds of a pause, or null. An answer since `sentAt` clears a service. */
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

  answered(service: string): void {
    this.#troubles.delete(service)
    this.#answers.set(service, performance.now())
  }

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
