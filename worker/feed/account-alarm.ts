import { endWhenQuiet, raiseAlert } from '#db/alert/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { AlertKind, AlertNotice } from '#domain/alert/alert.ts'

export class AccountAlarm {
  readonly #em: EntityManager
  readonly #account: { accountId: string; signalId: null }
  readonly #kind: AlertKind
  readonly #quietMs: number | undefined
  #mayBeOpen = true

  constructor(em: EntityManager, accountId: string, kind: AlertKind, quietMs?: number) {
    this.#em = em
    this.#account = { accountId, signalId: null }
    this.#kind = kind
    this.#quietMs = quietMs
  }

  async raise(notice: AlertNotice): Promise<void> {
    await raiseAlert(this.#em, this.#account, notice)
    this.#mayBeOpen = true
  }

  async end(): Promise<void> {
    if (!this.#mayBeOpen) return
    const how = await endWhenQuiet(this.#em, this.#account, this.#kind, this.#quietMs)
    this.#mayBeOpen = how !== 'none' && how !== 'over'
  }
}
