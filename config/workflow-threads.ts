/** Loaded by `node --import` into every thread of a process in which workflows run, before its own code. */
import './thread-lines.ts'
import './workflow-stack-traces.ts'
import './workflow-watchdog.ts'
