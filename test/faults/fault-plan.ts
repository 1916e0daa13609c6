import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * crash: the process dies there. hang: the call never returns. throw: it fails. stand: the process stands still there, until a
 * test has it go on by SIGCONT.
 */
const FAULT_MODES = ['throw', 'hang', 'crash', 'stand'] as const
export type FaultMode = (typeof FAULT_MODES)[number]

/** One thing that goes wrong, once: at a point such as `before recordDue` or `after broker.submitOrder of the exit`. */
export interface PlannedFault {
  point: string
  mode: FaultMode
  /** Those that stand still together, at once when so many have come to their points. */
  group?: { name: string; size: number }
}

/** What goes wrong in signals of which symbol. */
export type FaultPlan = Record<string, PlannedFault>

const VARIABLE = 'FAULT_PLAN'
/** Whoever comes to a point of its own so soon after another one stops there too, and dies with it; milliseconds. */
const DYING_MS = 300
/** So long the first one of a group waits for the others before the process stands still; an attempt is given up after 1,500 ms. */
const GATHERING_MS = 1_100

/** Those that have come to where the process is to stand still. */
interface Standing {
  count: number
  stop: () => void
  over: Promise<void>
}

/** By their groups: all modules of a process that make calls go wrong stand still together. */
const STANDINGS = new Map<string, Standing | 'over'>()

/** The plan as the test sees it, which writes it, and as the worker does, which carries it out. */
export class Faults {
  readonly #file: string
  readonly #plan: FaultPlan
  readonly #struck: Set<string>

  /** @param file where the plan is; what has struck stands beside it, so that it survives the process */
  constructor(file: string) {
    this.#file = file
    this.#plan = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FaultPlan) : {}
    this.#struck = new Set(Faults.struckIn(file))
  }

  static write(file: string, plan: FaultPlan): { [VARIABLE]: string } {
    writeFileSync(file, JSON.stringify(plan))
    return { [VARIABLE]: file }
  }

  static ofThisProcess(): Faults {
    return new Faults(process.env[VARIABLE] ?? '')
  }

  /** The symbols whose faults have struck. */
  static struckIn(file: string): string[] {
    const text = existsSync(`${file}.struck`) ? readFileSync(`${file}.struck`, 'utf8') : ''
    return text.split('\n').filter(Boolean)
  }

  /** Whether anything is planned for a call of this name. */
  concerns(call: string): boolean {
    return Object.values(this.#plan).some(({ point }) => point.endsWith(` ${call}`))
  }

  /** Whether something of a call of this name is to go wrong in a symbol. */
  isPlanned(call: string, symbol: string | null): boolean {
    return symbol !== null && (this.#plan[symbol]?.point.endsWith(` ${call}`) ?? false)
  }

  /** Makes a call, and has go wrong what is planned before or after it. */
  async around<T>(call: string, symbol: string | null, work: () => Promise<T>): Promise<T> {
    await this.#pass(`before ${call}`, symbol)
    const result = await work()
    await this.#pass(`after ${call}`, symbol)
    return result
  }

  async #pass(point: string, symbol: string | null): Promise<void> {
    const fault = symbol === null ? undefined : this.#plan[symbol]
    if (symbol === null || fault?.point !== point || this.#struck.has(symbol)) return
    const group = fault.mode === 'stand' ? (fault.group ?? { name: symbol, size: 1 }) : null
    if (group && STANDINGS.get(group.name) === 'over') return
    this.#struck.add(symbol)
    appendFileSync(`${this.#file}.struck`, `${symbol}\n`)
    if (fault.mode === 'throw') throw new Error(`planned to fail ${point}`)
    if (group) return this.#stand(group)
    if (fault.mode === 'crash') setTimeout(() => process.kill(process.pid, 'SIGKILL'), DYING_MS)
    await new Promise(() => {})
  }

  /** Resolves as the first thing that happens when the process goes on. */
  #stand({ name, size }: NonNullable<PlannedFault['group']>): Promise<void> {
    let standing = STANDINGS.get(name)
    if (standing === 'over') return Promise.resolve()
    if (standing === undefined) {
      const { promise: over, resolve: goOn } = Promise.withResolvers<void>()
      const stop = (): void => {
        if (STANDINGS.get(name) === 'over') return
        STANDINGS.set(name, 'over')
        process.kill(process.pid, 'SIGSTOP')
        goOn()
      }
      standing = { count: 0, stop, over }
      STANDINGS.set(name, standing)
      setTimeout(stop, GATHERING_MS)
    }
    standing.count += 1
    if (standing.count === size) standing.stop()
    return standing.over
  }
}
