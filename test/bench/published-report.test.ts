import assert from 'node:assert/strict'
import { cpuChart, ratioChart } from '#bench/publish/charts.ts'
import { median } from '#bench/publish/median.ts'
import { reportPage } from '#bench/publish/page.ts'
import type { BenchReport, Figures, Ratios } from '#bench/report.ts'

const ratios: Ratios = {
  p50Alone: 2,
  p95Alone: 2.5,
  p50Together: 1.05,
  answered: 0.6,
  settled: 0.9,
  cpu: 2.2,
}

const figures = (p50: number, answeredPerSecond: number): Figures => ({
  alone: { p50, p95: p50 * 2, p99: p50 * 3, answeredPerSecond },
  together: {
    p50: p50 * 5,
    p95: p50 * 8,
    p99: p50 * 9,
    answeredPerSecond: answeredPerSecond * 2,
    settledPerSecond: 1,
  },
  cpuPerCall: { worker: p50 / 4, postgres: 1 },
  cpuPerCallTotal: p50 / 4 + 1,
})

const run = (changes: Partial<Ratios> = {}): BenchReport => ({
  measuredAt: '2026-11-22T20:00:00.000Z',
  machine: { processor: 'A processor', system: 'linux x64', cores: 2, memoryGb: 16, load: '1.4' },
  versions: { Node: '24.1', 'Temporal server': '1.31', 'Temporal SDK': '1.24', PostgreSQL: '18.4' },
  signals: 300,
  concurrency: 20,
  contestants: { floor: figures(32, 20), service: figures(64, 11), koa: figures(1, 500) },
  ratios: { ...ratios, ...changes },
  histories: { floor: { events: 8, bytes: 2_100 }, 'entry, no exit': { events: 10, bytes: 7_940 } },
})

describe('the published report of the benchmark', () => {
  const runs = [run({ p50Alone: 1.2 }), run({ p50Alone: 3 }), run()]
  const page = reportPage(runs)

  it('names machine, load, versions and calls', () => {
    for (const part of [
      'A processor, 2 cores, 16 GB',
      '1.4, 1.4, 1.4',
      'PostgreSQL 18.4',
      '300 with 20 at once',
    ])
      assert.ok(page.includes(part), part)
  })

  it('the published report of the benchmark has every run, the median and the aim of each ratio', () => {
    assert.match(
      page,
      /\| p50, one at a time +\| 1\.20 +\| 3\.00 +\| 2\.00 +\| 2\.00 +\| at most 1\.4: missed/,
    )
    assert.match(page, /\| settled a second .*\| 0\.90 +\| at least 0\.8: met/)
  })

  it('tells what the history of a signal takes', () => {
    assert.match(page, /\| entry, no exit +\| 10 +\| 7\.9 +\|/)
  })

  it('the published report of the benchmark has charts with a mark for each run and a bar for each process', () => {
    const chart = ratioChart(runs)
    assert.match(chart, /^<svg /)
    for (const text of ['p50, one at a time', 'CPU for one call', '2.00'])
      assert.ok(chart.includes(text), text)
    for (const text of ['worker', 'postgres', 'bare Koa handler'])
      assert.ok(cpuChart(runs).includes(text), text)
  })

  it('takes the mean of the two runs in the middle when their number is even', () => {
    assert.equal(median([4, 1, 3, 2]), 2.5)
    assert.throws(() => median([]), RangeError)
  })
})
