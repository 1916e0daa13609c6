import assert from 'node:assert/strict'
import { periodBase, type PerformancePeriod } from '#domain/account/performance-period.ts'

describe('the day with which a period of performance is compared', () => {
  const bases: [period: PerformancePeriod, today: string, base: string | null][] = [
    ['1W', '2026-03-04', '2026-02-25'],
    ['1M', '2026-03-04', '2026-02-04'],
    ['1M', '2026-03-31', '2026-02-28'],
    ['1M', '2028-03-30', '2028-02-29'],
    ['3M', '2026-03-04', '2025-12-04'],
    ['YTD', '2026-03-04', '2025-12-31'],
    ['YTD', '2026-01-01', '2025-12-31'],
    ['1Y', '2026-03-04', '2025-03-04'],
    ['1Y', '2028-02-29', '2027-02-28'],
    ['ALL', '2026-03-04', null],
  ]
  for (const [period, today, base] of bases)
    it(`${period} on ${today} is ${base ?? 'the first that is known'}`, () => {
      assert.equal(periodBase(period, today), base)
    })
})
