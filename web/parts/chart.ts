import {
  ColorType,
  createChart,
  type ChartOptions,
  type DeepPartial,
  type IChartApi,
  type Time,
} from 'lightweight-charts'
import type { ChartColors } from './chart-colors.ts'

const NEW_YORK = 'America/New_York'
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: NEW_YORK })
const dayAndMinute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: NEW_YORK,
})
const marketDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: NEW_YORK })

/** Bars within a day bear instants, days their date. */
const isInstant = (time: Time): time is Time & number => typeof time === 'number'
const asDate = (time: Time): Date =>
  isInstant(time) ? new Date(time * 1_000) : new Date(typeof time === 'string' ? `${time}T00:00Z` : 0)

const options = (colors: ChartColors, isStill: boolean): DeepPartial<ChartOptions> => ({
  autoSize: true,
  layout: {
    background: { type: ColorType.Solid, color: colors.surface },
    textColor: colors.muted,
    fontFamily: "'Geist', system-ui, sans-serif",
    fontSize: 12,
    // The logo is written as HTML, which the page's policy refuses; the credit stands below the chart.
    attributionLogo: false,
  },
  grid: { vertLines: { visible: false }, horzLines: { color: colors.line } },
  rightPriceScale: { borderVisible: false },
  timeScale: {
    borderVisible: false,
    timeVisible: true,
    tickMarkFormatter: (time: Time, kind: number) =>
      kind >= 3 ? minute.format(asDate(time)) : (isInstant(time) ? marketDay : day).format(asDate(time)),
  },
  localization: {
    timeFormatter: (time: Time) =>
      isInstant(time) ? `${dayAndMinute.format(asDate(time))} New York` : day.format(asDate(time)),
  },
  crosshair: { vertLine: { color: colors.muted }, horzLine: { color: colors.muted } },
  // The page scrolls by touch and wheel, also over a chart.
  handleScroll: { mouseWheel: false, vertTouchDrag: false },
  handleScale: { mouseWheel: false },
  kineticScroll: { touch: !isStill, mouse: false },
})

/** An empty chart in the page's colours. */
export const newChart = (host: HTMLElement, colors: ChartColors): IChartApi =>
  createChart(host, options(colors, matchMedia('(prefers-reduced-motion: reduce)').matches))
