import { lookWithLevels, type ExitLook, type LedgerFacts, type LookRequest } from '#domain/exit/look.ts'
import type { RecordAcceptedInput } from '#activities/contract.ts'

/** What the ledger and the watch of prices know of the levels of a signal on the stage: bought at 100, and nothing else. */
export class StageLevels {
  facts: Omit<LedgerFacts, 'protection' | 'kept'> = {
    position: { side: 'LONG', average: '100', fees: '0' },
    best: '100',
    resting: null,
    crossed: null,
    abilities: { oco: false, trailing: false },
    owned: '10',
    isTooLarge: false,
    isWornOut: false,
    halt: null,
    revision: 0,
    restingRevision: 0,
  }

  /** Each crossing that was judged. */
  judged = 0

  look(request: LookRequest): ExitLook {
    if (this.facts.crossed) this.judged += 1
    const look = lookWithLevels(request, {
      ...this.facts,
      kept: this.facts.resting,
      protection: request.asked.protection ?? null,
    })
    if (look.reached === null) this.facts.crossed = null
    if (request.exit.workingOrder === null && look.reached === null) this.facts.resting = null
    return look
  }

  /** The order at the broker is as the plan has it. */
  adjusted(): void {
    this.facts.restingRevision = this.facts.revision
  }

  /** As the ledger after a step. */
  note({ name, input }: { name: string; input: unknown }): void {
    if (name === 'recordProtectionChanged') this.facts.revision += 1
    if (name === 'submitOrder') this.facts.isTooLarge = false
    const { resting } = input as Partial<RecordAcceptedInput>
    if (name !== 'recordAccepted' || !resting) return
    Object.assign(this.facts, { resting: resting.order, restingRevision: resting.revision, crossed: null })
  }
}
