import { burst } from './burst.ts'
import { cost } from './cost.ts'
import { events } from './events/scenario.ts'
import { flood } from './flood/scenario.ts'
import { idle } from './idle.ts'
import { signal } from './signal.ts'
import { stops } from './stops.ts'

/** Measurements of `npm run bench -- NAME`, the default first. */
export const SCENARIOS = { signal, cost, idle, burst, flood, stops, events } as const
