import { add } from '#domain/decimal.ts'
import type { Desk } from './service.ts'
import type { ActiveFault, Ledger } from './venue-desk.ts'

/** Several venues as if they were one: each symbol is traded at one of them only, so that their ledgers add up. */
export class JointDesk implements Desk {
  readonly #desks: readonly Desk[]

  constructor(desks: readonly Desk[]) {
    this.#desks = desks
  }

  async openAccount(...account: Parameters<Desk['openAccount']>): Promise<void> {
    await this.#each((desk) => desk.openAccount(...account))
  }

  async ledger(): Promise<Ledger> {
    const ledgers = await this.#each((desk) => desk.ledger())
    return {
      account: {
        cash: ledgers.map(({ account }) => account.cash).reduce(add),
        openingCash: ledgers.map(({ account }) => account.openingCash).reduce(add),
      },
      orders: ledgers.flatMap(({ orders }) => orders),
      positions: ledgers.flatMap(({ positions }) => positions),
      submissions: ledgers.flatMap(({ submissions }) => submissions),
    }
  }

  async script(...script: Parameters<Desk['script']>): Promise<void> {
    await this.#each((desk) => desk.script(...script))
  }

  async clearScript(): Promise<void> {
    await this.#each((desk) => desk.clearScript())
  }

  async activeFaults(): Promise<ActiveFault[]> {
    return (await this.#each((desk) => desk.activeFaults())).flat()
  }

  async pin(symbol: string, price: number): Promise<void> {
    await this.#each((desk) => desk.pin(symbol, price))
  }

  #each<T>(ask: (desk: Desk) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#desks.map(ask))
  }
}
