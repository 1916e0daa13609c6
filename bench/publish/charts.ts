import * as echarts from 'echarts'
import { AIMS, isMet, RATIO_NAMES, RATIO_TITLES, TITLES, type BenchReport, type Ratios } from '../report.ts'
import type { ContestantName } from '../run.ts'
import { median } from './median.ts'

const WIDTH = 760
/** Legible on the light and on the dark pages of a code host. */
const INK = '#7a818c'
const GOOD = '#1a7f5a'
const BAD = '#c2571a'
const WITHOUT_AIM = '#4a6fb5'

/** Each ratio of the service to the floor: the median as a bar, every run as a dot, and the aim as a line. SVG. */
export function ratioChart(runs: readonly BenchReport[]): string {
  const valuesOf = (name: keyof Ratios) => runs.map(({ ratios }) => ratios[name])
  const names = RATIO_NAMES.toReversed()
  return svg(60 + names.length * 44, {
    grid: { left: 150, right: 60, top: 10, bottom: 40 },
    xAxis: { type: 'value', min: 0, name: 'times the floor', nameLocation: 'middle', nameGap: 26, ...AXIS },
    yAxis: { type: 'category', data: names.map((name) => RATIO_TITLES[name]), ...AXIS },
    series: [
      {
        type: 'bar',
        barWidth: 16,
        data: names.map((name) => {
          const value = median(valuesOf(name))
          const color = AIMS[name] === undefined ? WITHOUT_AIM : isMet(name, value) ? GOOD : BAD
          return {
            value,
            itemStyle: { color },
            label: { show: true, formatter: value.toFixed(2) },
          }
        }),
        label: { color: '#fff', position: 'insideLeft' },
      },
      {
        type: 'scatter',
        symbolSize: 6,
        itemStyle: { color: INK },
        data: names.flatMap((name) => valuesOf(name).map((value) => [value, RATIO_TITLES[name]])),
      },
      {
        type: 'scatter',
        symbol: 'rect',
        symbolSize: [3, 26],
        itemStyle: { color: INK },
        data: names.flatMap((name) => (AIMS[name] ? [[AIMS[name].value, RATIO_TITLES[name]]] : [])),
      },
    ],
  })
}

/** Milliseconds of CPU for one call, by contestant and process; medians. SVG. */
export function cpuChart(runs: readonly BenchReport[]): string {
  const contestants = (Object.keys(TITLES) as ContestantName[]).toReversed()
  const processes = [
    ...new Set(contestants.flatMap((name) => Object.keys(runs[0]!.contestants[name].cpuPerCall))),
  ]
  return svg(220, {
    grid: { left: 190, right: 20, top: 40, bottom: 40 },
    legend: { top: 0, textStyle: { color: INK } },
    xAxis: { type: 'value', name: 'ms of CPU for one call', nameLocation: 'middle', nameGap: 26, ...AXIS },
    yAxis: { type: 'category', data: contestants.map((name) => TITLES[name]), ...AXIS },
    series: processes.map((process) => ({
      name: process,
      type: 'bar',
      stack: 'cpu',
      barWidth: 24,
      data: contestants.map((name) =>
        median(runs.map((run) => run.contestants[name].cpuPerCall[process] ?? 0)),
      ),
    })),
  })
}

const AXIS = {
  axisLabel: { color: INK },
  nameTextStyle: { color: INK },
  axisLine: { lineStyle: { color: INK } },
  splitLine: { lineStyle: { color: INK, opacity: 0.25 } },
} as const

/** @param height pixels */
function svg(height: number, option: echarts.EChartsCoreOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  chart.setOption({ animation: false, ...option })
  const text = chart.renderToSVGString()
  chart.dispose()
  return `${text}\n`
}
