import { listOwnConnections } from '#db/accounts/sync.ts'
import { summarisePortfolio } from '#db/accounts/dashboard.ts'
import { listPositionsToday } from '#db/accounts/positions.ts'
import { findAccountSummary } from '#db/accounts/summary.ts'
import type { Database } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import { findUser } from '#db/identity/users.ts'
import type { Logger } from 'pino'
import { presentAccountSummary } from '../accounts/record.ts'
import { presentSummary } from '../dashboard/record.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamCompanion } from './live-feed.ts'
import { Paced } from './paced.ts'

const SUMS_PAUSE_MS = 3_000

interface Watched {
  sums: Paced
  streams: Map<EventStream, string>
}

export class LiveFigures implements StreamCompanion {
  readonly #deps: { database: Database; logger: Logger }
  readonly #users = new Map<string, Watched>()

  constructor(deps: { database: Database; logger: Logger }) {
    this.#deps = deps
  }

  join(stream: EventStream): void {
    if (!stream.subscription.lists.includes('figures')) return
    const { userId } = stream.subscription.principal
    const watched = this.#users.get(userId) ?? {
      sums: new Paced(() => this.#tell(userId), SUMS_PAUSE_MS),
      streams: new Map<EventStream, string>(),
    }
    watched.streams.set(stream, '')
    this.#users.set(userId, watched)
    watched.sums.ask()
  }

  leave(stream: EventStream): void {
    const { userId } = stream.subscription.principal
    const watched = this.#users.get(userId)
    if (!watched?.streams.delete(stream) || watched.streams.size > 0) return
    watched.sums.stop()
    this.#users.delete(userId)
  }

  changed(userId: string): void {
    this.#users.get(userId)?.sums.ask()
  }

  async #tell(userId: string): Promise<void> {
    try {
      const figures = await this.#figuresOf(userId)
      const text = JSON.stringify(figures)
      const { streams } = this.#users.get(userId) ?? {}
      for (const [stream, told] of streams ?? [])
        if (figures && told !== text && stream.tell('figures', figures)) streams!.set(stream, text)
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'the figures of a user could not be summed up')
    }
  }

  async #figuresOf(userId: string) {
    const em = this.#deps.database.em.fork()
    actAs(em, userId)
    const user = await findUser(em, userId)
    if (!user) return null
    const summary = presentSummary(
      await summarisePortfolio(em, userId, user.tradingMode),
      await listPositionsToday(em, userId, {}),
      user.tradingMode,
    )
    const accounts = []
    for (const { accountId } of await listOwnConnections(em, userId)) {
      const account = await findAccountSummary(em, userId, accountId)
      if (account) accounts.push(presentAccountSummary(account))
    }
    return { summary, accounts }
  }
}
