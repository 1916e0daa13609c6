import { mock } from 'node:test'
import fc from 'fast-check'
import type { Database } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'
import { installCopies, LedgerCopies } from './ledger-copies.ts'
import { Life, type LifeServices } from './life.ts'
import { installClock, LivesClock } from './lives-clock.ts'
import { anyPlan, withoutLosses, type Loss } from './plan.ts'
import { Troupe } from './troupe.ts'

const N = Number(process.env['LIVES'] ?? 200)
const SEED = Number(process.env['LIVES_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const KIND = process.env['LIVES_KIND'] ?? 'none'

describe('explore', function () {
  this.timeout(0)
  let services: LifeServices
  let database: Database
  useDatabase(async (opened, url) => {
    database = opened
    await installClock(url)
    await installCopies(url)
  })
  before(async () => {
    services = {
      database,
      clock: new LivesClock(database.em),
      copies: new LedgerCopies(database.em),
      troupe: await Troupe.gather(16),
    }
  })
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: 0 }))
  afterEach(() => mock.timers.reset())

  it('runs', async () => {
    const began = performance.now()
    const times = new Map<string, [number, number]>()
    if (process.env['PROF']) {
      const wrap = (o: any, n: string) => {
        const f = o[n].bind(o)
        o[n] = async (...a: any[]) => {
          const t = performance.now()
          try { return await f(...a) } finally {
            const k = times.get(n) ?? [0, 0]; k[0] += 1; k[1] += performance.now() - t; times.set(n, k)
          }
        }
      }
      wrap(services.copies, 'clear'); wrap(services.copies, 'take'); wrap(services.copies, 'restore'); wrap(services.clock, 'pass'); wrap(services.troupe, 'work'); wrap(services.troupe, 'settle')
      for (const [C, ms] of [[(await import('#worker/feed/fill-importer.ts')).FillImporter, ['poll']], [(await import('#worker/feed/order-reconciler.ts')).OrderReconciler, ['apply', 'reconcile']], [Life, ['live']]] as any)
        for (const m of ms) { const f = C.prototype[m]; C.prototype[m] = async function (...a: any[]) { const t = performance.now(); try { return await f.apply(this, a) } finally { const k = times.get(m) ?? [0, 0]; k[0] += 1; k[1] += performance.now() - t; times.set(m, k) } } }
    }
    const losses: Loss[] = KIND === 'none' ? ['temporal'] : (KIND.split(',') as Loss[])
    const seen = new Map<string, { n: number; first: unknown }>()
    const plans = fc.sample(anyPlan(losses), { seed: SEED, numRuns: N })
    let index = 0
    let differ = 0
    let compared = 0
    for (const whole of plans) {
      const plan = KIND === 'none' ? withoutLosses(whole) : whole
      let faults: string[]
      try {
        const end = await new Life(services, plan).live()
        faults = end.faults
        if (KIND !== 'none') {
          const calm = await new Life(services, withoutLosses(whole)).live()
          const say = (x: any) => x.signals.map((s: any) => `${s.status} ${s.exitStatus} ${s.entryFilled} ${s.exitFilled} ${s.closedByOthers}`).join(' | ')
          compared += 1
          if (say(end) !== say(calm)) {
            differ += 1
            if (process.env['SHOW']) console.log(`#${index}`, say(calm), '==>', say(end), plan.events.filter((e) => e.loses).length)
          }
        }
      } catch (error) {
        faults = [String((error as Error).stack)]
      }
      for (const fault of new Set(faults.map((one) => one.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')))) {
        const known = seen.get(fault) ?? { n: 0, first: index }
        known.n += 1
        seen.set(fault, known)
      }
      index += 1
    }
    for (const [k, v] of times) console.log(k, v[0], Math.round(v[1]))
    console.log({ differ, compared })
    console.log(`seed ${SEED}: ${N} lives in ${Math.round(performance.now() - began)} ms`)
    for (const [fault, { n, first }] of [...seen].toSorted((a, b) => b[1].n - a[1].n)) console.log(n, `#${first}`, fault)
  })
})
