import {
  CandlestickSeries,
  createSeriesMarkers,
  LineStyle,
  type AutoscaleInfo,
  type IChartApi,
  type ISeriesApi,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { newChart, chartColors, drawn, type ChartColors, usePalette } from '../parts/chart.ts'
import { serviceNow } from '../connection/clock.ts'
import { money } from '../words/figures.ts'
import { shortTime } from '../words/times.ts'
import type { Bar } from './data.ts'
import { LevelHandles, placeHandles, type Level, type Moved } from './level-handles.tsx'
import type { Mark } from './marks.ts'

/** Share of the price within which a level stays in view: farther away it would flatten the bars. */
const IN_SIGHT = 0.15

const LOOKS = {
  entry: { color: 'muted', lineStyle: LineStyle.LargeDashed, lineWidth: 1 },
  stop: { color: 'down', lineStyle: LineStyle.Solid, lineWidth: 2 },
  target: { color: 'up', lineStyle: LineStyle.Dashed, lineWidth: 2 },
} as const satisfies Record<NonNullable<Level['kind']>, object>

interface Props {
  label: string
  bars: readonly Bar[]
  isDaily: boolean
  marks: readonly Mark[]
  levels: readonly Level[]
  /** Asks about another price of a level, in dollars a share. */
  ask: (level: Level, price: number) => void
}

const secondsOf = (instant: string): number => Math.floor(Date.parse(instant) / 1_000)
const timeOf = (bar: Bar, isDaily: boolean): Time =>
  isDaily ? bar.at.slice(0, 10) : (secondsOf(bar.at) as UTCTimestamp)

/** Texts of more marks would overlap: they then appear only on hover. */
const MOST_TEXTS = 12

const barWords = (bar: Bar, isDaily: boolean, marks: readonly Mark[]): string =>
  [
    isDaily ? bar.at.slice(0, 10) : `${shortTime(bar.at, serviceNow())} New York`,
    `open ${money(bar.open)}`,
    `high ${money(bar.high)}`,
    `low ${money(bar.low)}`,
    `close ${money(bar.close)}`,
    ...marks.map(({ text }) => text),
  ].join(' · ')

function withLevels(shown: AutoscaleInfo | null, levels: readonly number[]): AutoscaleInfo | null {
  if (shown?.priceRange == null || levels.length === 0) return shown
  const { minValue, maxValue } = shown.priceRange
  return {
    ...shown,
    priceRange: { minValue: Math.min(minValue, ...levels), maxValue: Math.max(maxValue, ...levels) },
  }
}

/** Falling bars are filled, so that colour is not the only sign. Another theme or length of bars draws a new chart. */
export const BarsChart = (props: Props) => <Drawn key={`${usePalette()} ${props.isDaily}`} {...props} />

function Drawn({ label, bars, isDaily, marks, levels, ask }: Props) {
  const [moved, show] = useState<Moved | null>(null)
  const [shownSeries, setSeries] = useState<ISeriesApi<'Candlestick'> | null>(null)
  const lines = useMemo(
    () => levels.map((level, at) => (at === moved?.at ? { ...level, price: moved.price } : level)),
    [levels, moved],
  )
  const told = useRef<HTMLParagraphElement>(null)
  const host = useRef<HTMLDivElement>(null)
  const inSight = useRef<number[]>([])
  const parts = useRef<{ chart: IChartApi; series: ISeriesApi<'Candlestick'>; colors: ChartColors }>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const colors = chartColors(host.current)
    const chart = newChart(host.current, colors)
    const series = chart.addSeries(CandlestickSeries, {
      upColor: colors.surface,
      borderUpColor: colors.up,
      wickUpColor: colors.up,
      downColor: colors.down,
      borderDownColor: colors.down,
      wickDownColor: colors.down,
      priceLineColor: colors.text,
      priceLineStyle: LineStyle.Dotted,
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) =>
        withLevels(original(), inSight.current),
    })
    parts.current = { chart, series, colors }
    const frame = host.current.parentElement!
    // Handles follow their lines when the chart moves or scales.
    const views = [
      { renderer: () => ({ draw: () => placeHandles(frame, series, chart.priceScale('right').width()) }) },
    ]
    series.attachPrimitive({ paneViews: () => views })
    setSeries(series)
    return () => {
      parts.current = null
      chart.remove()
    }
  }, [])
  useEffect(() => {
    if (!parts.current) return
    const { chart, series } = parts.current
    const isFirst = series.data().length === 0
    series.setData(
      bars.map((bar) => ({
        time: timeOf(bar, isDaily),
        open: bar.open,
        high: bar.high,
        low: bar.low,
        close: bar.close,
      })),
    )
    if (host.current) drawn(host.current)
    if (!isFirst) return
    // Bars that can be distinguished at this width; updates leave a view that a person has moved.
    const shown = Math.max(40, Math.floor((host.current?.clientWidth ?? 600) / 9))
    chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, bars.length - shown), to: bars.length + 2 })
  }, [bars, isDaily])
  useEffect(() => {
    if (!parts.current) return undefined
    const { series, colors } = parts.current
    const withText = marks.length <= MOST_TEXTS
    const shown = marks.flatMap(({ bar: at, isBuy, text }): SeriesMarker<Time>[] => {
      const bar = bars[at]
      return bar
        ? [
            {
              time: timeOf(bar, isDaily),
              position: isBuy ? 'belowBar' : 'aboveBar',
              shape: isBuy ? 'arrowUp' : 'arrowDown',
              color: colors.text,
              ...(withText && { text }),
            },
          ]
        : []
    })
    const markers = createSeriesMarkers(series, shown)
    return () => {
      // The chart may have been removed, and its parts with it.
      if (parts.current) markers.detach()
    }
  }, [bars, marks, isDaily])
  useEffect(() => {
    const last = bars.at(-1)?.close ?? 0
    // Prices of the levels, not of their drags: the scale stays fixed under the finger.
    inSight.current = levels.flatMap(({ price, kind }) =>
      kind !== undefined && Math.abs(price / last - 1) <= IN_SIGHT ? [price] : [],
    )
  }, [bars, levels])
  useEffect(() => {
    if (!parts.current || !shownSeries) return undefined
    const { series, colors } = parts.current
    const drawnLines = lines.map(({ price, title, kind }) => {
      const look = kind === undefined ? null : LOOKS[kind]
      return series.createPriceLine({
        price,
        title,
        color: colors[look?.color ?? 'accent'],
        lineStyle: look?.lineStyle ?? LineStyle.Dotted,
        lineWidth: look?.lineWidth ?? 1,
      })
    })
    return () => {
      if (!parts.current) return
      for (const each of drawnLines) series.removePriceLine(each)
    }
    // The handles exist by the time of this drawing.
  }, [lines, shownSeries])
  useEffect(() => {
    const { chart } = parts.current ?? {}
    if (!chart) return undefined
    const tell = ({ logical }: { logical?: number }) => {
      const bar = logical === undefined ? undefined : bars[logical]
      if (told.current)
        told.current.textContent = bar
          ? barWords(
              bar,
              isDaily,
              marks.filter((mark) => mark.bar === logical),
            )
          : ''
    }
    chart.subscribeCrosshairMove(tell)
    return () => {
      if (parts.current) chart.unsubscribeCrosshairMove(tell)
    }
  }, [bars, marks, isDaily])
  return (
    <>
      <p ref={told} aria-hidden="true" className="min-h-4 px-2 text-xs text-muted" />
      <div className="relative overflow-clip">
        <div ref={host} data-chart="" role="img" aria-label={label} className="isolate h-72 desk:h-90" />
        {shownSeries && (
          <LevelHandles
            levels={lines}
            series={shownSeries}
            show={show}
            ask={({ at, price }) => {
              show(null)
              ask(levels[at]!, price)
            }}
          />
        )}
      </div>
    </>
  )
}
