import { AreaSeries, LineType, type Time, type UTCTimestamp } from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { chartColors, drawn, newChart, usePalette } from '../parts/chart.ts'
import { money, number } from '../words/figures.ts'
import type { Statistics } from './statistics.ts'

interface Props {
  /** Its meaning, and the table with the same values. */
  label: string
  points: Statistics['curve']
}

/** Cumulated results by trade with the drawdown below, redrawn with the theme. */
export const TradeCurve = (props: Props) => <Drawn key={usePalette()} {...props} />

const dollars = (value: number): string => money(value).replace(/\.\d\d$/, '')
/** The chart requires instants: these are numbers of trades. */
const placeOf = (trade: number) => trade as UTCTimestamp
const nameOf = (time: Time): string => `Trade ${number(Number(time))}`

function Drawn({ label, points }: Props) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const colors = chartColors(host.current)
    const chart = newChart(host.current, colors)
    chart.applyOptions({
      localization: { timeFormatter: nameOf },
      timeScale: { tickMarkFormatter: (time: Time) => number(Number(time)) },
    })
    const look = {
      lineType: LineType.WithSteps,
      lineWidth: 2,
      priceLineVisible: false,
      lastValueVisible: false,
      priceFormat: { type: 'custom', formatter: dollars, minMove: 0.01 },
    } as const
    const results = chart.addSeries(AreaSeries, {
      ...look,
      lineColor: colors.accent,
      topColor: `${colors.accent}38`,
      bottomColor: `${colors.accent}00`,
    })
    const falls = chart.addSeries(
      AreaSeries,
      {
        ...look,
        lineWidth: 1,
        invertFilledArea: true,
        lineColor: colors.down,
        topColor: `${colors.down}00`,
        bottomColor: `${colors.down}38`,
      },
      1,
    )
    results.setData(points.map(({ trade, total }) => ({ time: placeOf(trade), value: total })))
    falls.setData(points.map(({ trade, drawdown }) => ({ time: placeOf(trade), value: -drawdown })))
    chart.panes()[0]?.setStretchFactor(3)
    chart.panes()[1]?.setStretchFactor(1)
    chart.timeScale().fitContent()
    drawn(host.current)
    return () => chart.remove()
  }, [points])
  return <div ref={host} data-chart="" role="img" aria-label={label} className="h-80" />
}
