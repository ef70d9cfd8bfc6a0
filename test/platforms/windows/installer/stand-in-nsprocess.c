/* The plug-in nsProcess as far as the installer uses it: processes by the name of their program. It answers 0 if there is one. */
#include <windows.h>
#include <tlhelp32.h>

typedef struct stack {
  struct stack *next;
  WCHAR text[1];
} stack;

static void answer(int size, stack **top, BOOL ending) {
  stack *argument = *top;
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  PROCESSENTRY32W entry = {sizeof entry};
  LPCWSTR result = L"603";
  /* The first argument is /NOUNLOAD, which NSIS takes away itself. */
  for (BOOL more = Process32FirstW(snapshot, &entry); more; more = Process32NextW(snapshot, &entry)) {
    if (lstrcmpiW(entry.szExeFile, argument->text)) continue;
    result = L"0";
    if (!ending) break;
    HANDLE process = OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE, entry.th32ProcessID);
    TerminateProcess(process, 1);
    WaitForSingleObject(process, 10000);
    CloseHandle(process);
  }
  CloseHandle(snapshot);
  lstrcpynW(argument->text, result, size);
}

__declspec(dllexport) void _FindProcess(HWND window, int size, WCHAR *variables, stack **top) { answer(size, top, FALSE); }
__declspec(dllexport) void _KillProcess(HWND window, int size, WCHAR *variables, stack **top) { answer(size, top, TRUE); }
__declspec(dllexport) void _CloseProcess(HWND window, int size, WCHAR *variables, stack **top) { answer(size, top, TRUE); }
__declspec(dllexport) void _Unload(HWND window, int size, WCHAR *variables, stack **top) {}
