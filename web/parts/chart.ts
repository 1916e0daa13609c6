import {
  ColorType,
  createChart,
  type ChartOptions,
  type DeepPartial,
  type IChartApi,
  type Time,
} from 'lightweight-charts'
import { useEffect, useState } from 'react'

const ROLES = {
  text: '--color-text',
  muted: '--color-muted',
  line: '--color-line',
  surface: '--color-surface',
  up: '--color-buy',
  down: '--color-sell',
  accent: '--accent',
} as const
export type ChartColors = Record<keyof typeof ROLES, string>

/**
 * The present palette as `#rrggbb`: a canvas does not know `light-dark()` and `oklch()`, so a pixel of each colour is
 * painted and read.
 */
export function chartColors(host: Element): ChartColors {
  const probe = document.createElement('span')
  host.append(probe)
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  const read = (role: string): string => {
    probe.style.color = `var(${role})`
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    return `#${[red, green, blue].map((part) => (part ?? 0).toString(16).padStart(2, '0')).join('')}`
  }
  const colors = Object.fromEntries(Object.entries(ROLES).map(([name, role]) => [name, read(role)]))
  probe.remove()
  return colors as ChartColors
}

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

/** Bars within a day have instants, daily bars a date. */
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
    // The logo is HTML, which the page's policy forbids; the credit is below the chart.
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
  // The page scrolls by touch and wheel over a chart too.
  handleScroll: { mouseWheel: false, vertTouchDrag: false },
  handleScale: { mouseWheel: false },
  kineticScroll: { touch: !isStill, mouse: false },
})

export const newChart = (host: HTMLElement, colors: ChartColors): IChartApi =>
  createChart(host, options(colors, matchMedia('(prefers-reduced-motion: reduce)').matches))

/** Marks a chart as drawn, once its first frame with data is visible. */
export const drawn = (host: HTMLElement): void => {
  requestAnimationFrame(() => requestAnimationFrame(() => host.setAttribute('data-drawn', '')))
}

/** Number that changes with the page's theme or mode, so that charts are redrawn. */
export function usePalette(): number {
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const change = () => setVersion((before) => before + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', change)
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-mode'] })
    return () => {
      dark.removeEventListener('change', change)
      observer.disconnect()
    }
  }, [])
  return version
}
