/*
 * A pdh.dll that has GPU counters, which Wine's has not. Compiled with the signatures and structures of pdh.h, so that what the
 * program takes for them is checked by a compiler.
 */
#include <windows.h>
#include <pdh.h>
#include <pdhmsg.h>

#define QUERY ((PDH_HQUERY)0x100)
static int collections, counters;

PDH_FUNCTION PdhOpenQueryW(LPCWSTR source, DWORD_PTR data, PDH_HQUERY *query) {
  if (source || data) return PDH_INVALID_ARGUMENT;
  *query = QUERY;
  return ERROR_SUCCESS;
}

/* The handle says which one it is: 1, 2 and so on. */
PDH_FUNCTION PdhAddEnglishCounterW(PDH_HQUERY query, LPCWSTR path, DWORD_PTR data, PDH_HCOUNTER *counter) {
  if (query != QUERY || data) return PDH_INVALID_HANDLE;
  if (lstrcmpW(path, L"\\GPU Engine(*)\\Utilization Percentage") && lstrcmpW(path, L"\\GPU Adapter Memory(*)\\Dedicated Usage"))
    return PDH_CSTATUS_NO_COUNTER;
  *counter = (PDH_HCOUNTER)(ULONG_PTR)++counters;
  return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCollectQueryData(PDH_HQUERY query) {
  if (query != QUERY) return PDH_INVALID_HANDLE;
  collections++;
  return ERROR_SUCCESS;
}

PDH_FUNCTION PdhCloseQuery(PDH_HQUERY query) { return query == QUERY ? ERROR_SUCCESS : PDH_INVALID_HANDLE; }

static DWORD put(PDH_FMT_COUNTERVALUE_ITEM_W *items, WCHAR *text, DWORD at, LPCWSTR name, DWORD status, double value) {
  lstrcpyW(text, name);
  items[at].szName = text;
  items[at].FmtValue.CStatus = status;
  items[at].FmtValue.doubleValue = value;
  return lstrlenW(name) + 1;
}

/* A rate: without values until the second collection. */
PDH_FUNCTION PdhGetFormattedCounterArrayW(PDH_HCOUNTER counter, DWORD format, LPDWORD bytes, LPDWORD count,
                                          PDH_FMT_COUNTERVALUE_ITEM_W *items) {
  DWORD needed = 3 * sizeof *items + 1024;
  WCHAR *text = (WCHAR *)(items + 3);
  if (format != (PDH_FMT_DOUBLE | PDH_FMT_NOCAP100)) return PDH_INVALID_ARGUMENT;
  if (collections < 2) return PDH_INVALID_DATA;
  if (!items || *bytes < needed) {
    *bytes = needed;
    return PDH_MORE_DATA;
  }
  if (counter == (PDH_HCOUNTER)1) {
    text += put(items, text, 0, L"pid_4_luid_0x00000000_0x0000C5A9_phys_0_eng_0_engtype_3D", PDH_CSTATUS_VALID_DATA, 12.25);
    text += put(items, text, 1, L"pid_8_luid_0x00000000_0x0000C5A9_phys_0_eng_0_engtype_3D", PDH_CSTATUS_NEW_DATA, 30);
    put(items, text, 2, L"pid_9_luid_0x00000000_0x0000C5A9_phys_0_eng_0_engtype_3D", PDH_CSTATUS_NO_INSTANCE, 99);
    *count = 3;
  } else {
    put(items, text, 0, L"luid_0x00000000_0x0000C5A9_phys_0", PDH_CSTATUS_VALID_DATA, 3e9);
    *count = 1;
  }
  return ERROR_SUCCESS;
}
