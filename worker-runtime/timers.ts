/** The longest delay of Node's timers, in milliseconds: 24 days. */
export const MAX_TIMER_MILLIS = 2 ** 31 - 1;
