/** Loaded by `node --import` into every thread of a process in which workflows run, before its own code. */
import './workflow-stack-traces.ts'
import './workflow-watchdog.ts'
