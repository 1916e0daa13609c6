import type { Ledger } from '../ledger/database.ts'
import {
  faultRule,
  ruleMatches,
  type AnswerFault,
  type FaultRule,
  type FaultTarget,
  type Operation,
  type StreamFault,
} from './rule.ts'

interface ActiveRule {
  seq: number
  rule: FaultRule
  drawn: number
  hit: number
}

type ConductMode = Exclude<FaultRule, AnswerFault | StreamFault>['mode']
type RuleOfMode<Mode extends FaultRule['mode']> = Extract<FaultRule, { mode: Mode }>

const ANSWER_MODES: ReadonlySet<FaultRule['mode']> = new Set<AnswerFault['mode']>([
  'hang',
  'reset',
  '500',
  'garbage',
  '429',
  '503',
  'late',
])

/** A draw is a pure function of seed, rule and stored count, so a killed process continues. */
export class FaultScript {
  readonly #ledger: Ledger
  readonly #insert
  readonly #clear
  readonly #count
  readonly #setSeed
  #active: ActiveRule[]
  #seed: number

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    const { database } = ledger
    this.#insert = database.prepare('INSERT INTO faultRules (seq, rule) VALUES (?, ?)')
    this.#clear = database.prepare('DELETE FROM faultRules')
    this.#count = database.prepare('UPDATE faultRules SET drawn = ?, hit = ? WHERE seq = ?')
    this.#setSeed = database.prepare(
      'INSERT INTO faultSeed (onlyRow, seed) VALUES (1, ?) ON CONFLICT DO UPDATE SET seed = excluded.seed',
    )
    this.#seed = Number(database.prepare('SELECT seed FROM faultSeed').get()?.['seed'] ?? 1)
    const rows = database.prepare('SELECT seq, rule, drawn, hit FROM faultRules ORDER BY seq').all()
    this.#active = (rows as unknown as (Omit<ActiveRule, 'rule'> & { rule: string })[]).map((row) => ({
      ...row,
      rule: faultRule.parse(JSON.parse(row.rule)),
    }))
  }

  replace(rules: readonly FaultRule[], seed: number): void {
    this.#ledger.transaction(() => {
      this.#clear.run()
      for (const [seq, rule] of rules.entries()) this.#insert.run(seq, JSON.stringify(rule))
      this.#setSeed.run(seed)
    })
    this.#seed = seed
    this.#active = rules.map((rule, seq) => ({ seq, rule, drawn: 0, hit: 0 }))
  }

  /** drawn: times considered; hit: times struck. */
  list(): { rule: FaultRule; drawn: number; hit: number }[] {
    return this.#active.map(({ rule, drawn, hit }) => ({ rule, drawn, hit }))
  }

  get isEmpty(): boolean {
    return this.#active.length === 0
  }

  drawAnswer(operation: Operation, target: FaultTarget): AnswerFault | null {
    return this.#draw(target, (rule): rule is AnswerFault => {
      return ANSWER_MODES.has(rule.mode) && (rule.on === 'any' || rule.on === operation)
    })
  }

  drawConduct<Mode extends ConductMode>(
    modes: readonly Mode[],
    target: FaultTarget,
  ): RuleOfMode<Mode> | null {
    return this.#draw(target, (rule): rule is RuleOfMode<Mode> =>
      (modes as readonly FaultRule['mode'][]).includes(rule.mode),
    )
  }

  drawStream(target: FaultTarget): StreamFault | null {
    return this.#draw(target, (rule): rule is StreamFault => rule.on === 'stream')
  }

  #draw<Rule extends FaultRule>(
    target: FaultTarget,
    concerns: (rule: FaultRule) => rule is Rule,
  ): Rule | null {
    for (const standing of this.#active) {
      const { rule, seq } = standing
      if (!concerns(rule) || !ruleMatches(rule, target)) continue
      if (rule.times !== undefined && standing.hit >= rule.times) continue
      standing.drawn += 1
      const strikes =
        rule.probability === undefined || chance(this.#seed, seq, standing.drawn) < rule.probability
      if (strikes) standing.hit += 1
      this.#count.run(standing.drawn, standing.hit, seq)
      if (strikes) return rule
    }
    return null
  }
}

function chance(seed: number, rule: number, draw: number): number {
  let bits = (seed + Math.imul(rule + 1, 0x85ebca6b) + Math.imul(draw, 0x9e3779b9)) | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32
}
